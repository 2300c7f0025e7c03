# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_kubectl_jobset_global_optspecs
    string join \n n/namespace= context= cluster= user= kubeconfig= s/server= token= as= as-group= as-uid= as-user-extra= client-certificate= client-key= certificate-authority= insecure-skip-tls-verify= tls-server-name= request-timeout= disable-compression= cache-dir= local local-dir= q/quiet v/verbose color= progress= h/help V/version
end

function __fish_kubectl_jobset_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_kubectl_jobset_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_kubectl_jobset_using_subcommand
    set -l cmd (__fish_kubectl_jobset_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -s V -l version -d 'Print version'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -f -a "run" -d 'Run a JobSet, stay attached, return its outcome'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -f -a "attach" -d 'Take the driver\'s seat of a run again'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -f -a "status" -d 'Show runs, or one run'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -f -a "logs" -d 'Show the logs of a run, across roles and attempts'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -f -a "suspend" -d 'Suspend a run: its pods go away, nothing is counted'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -f -a "resume" -d 'Resume a suspended run'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -f -a "stop" -d 'End a run for good, keep its record and logs'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -f -a "delete" -d 'Delete runs with everything they made'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -f -a "validate" -d 'Check manifests, without a cluster'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -f -a "render" -d 'Print the Service and the Jobs of a manifest, without a cluster'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -f -a "simulate" -d 'What if: play a manifest in virtual time, without a cluster'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -f -a "version" -d 'Print versions'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -f -a "completion" -d 'Completion for shells and for kubectl'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -f -a "local-host" -d 'Host local runs: started by `--local`, ends by itself'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -f -a "help" -d 'Help about a command, or about the exit codes'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -f -a "pocket" -d 'Serve a small Kubernetes of our own on this machine, for trying things and for tests'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_needs_command" -f -a "__complete" -d 'Answer kubectl\'s question for completions'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -s f -l filename -d 'The manifest, as in kubectl (can be repeated; one JobSet in all)' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l validate -d 'Fields that this build doesn\'t know' -r -f -a "strict\t'Refuse them'
warn\t'Warn and pass them on to the server'
ignore\t'Pass them on to the server'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l name -d 'Name of the run instead of the manifest\'s' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l logs -d 'Logs to stream to stdout: none, all, failed, or TARGET,… [default: none; env: KUBECTL_JOBSET_LOGS]' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l timeout -d 'Longest time to stay (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l on-timeout -d 'What to do then' -r -f -a "detach\t'Leave, the run goes on without a driver'
stop\t'End the run, keep its record and logs'
delete\t'Delete everything the run made'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l on-interrupt -d 'What to do on Ctrl-C, SIGTERM and SIGHUP [default: ask on a terminal, else detach; env: KUBECTL_JOBSET_ON_INTERRUPT]' -r -f -a "ask\t'Show the choices; without a terminal the same as detach'
detach\t'Leave, the run goes on without a driver'
stop\t'End the run, keep its record and logs'
delete\t'Delete everything the run made'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l rm -d 'Delete everything at the end, or only on success' -r -f -a "always\t'However the run ends'
success\t'Only if it completes'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l heartbeat -d 'How often to say that nothing has changed (0: never) [default: 10m]' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l dry-run -d 'Say what would be made' -r -f -a "none\t'Do it'
client\t'Say what would be done, without asking the server to check it'
server\t'Have the server check it, change nothing'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -s o -l output -d 'Form of the result on stdout' -r -f -a "name\t'Only the name'
json\t'With --dry-run the JobSet as JSON, else one JSON event per line'
yaml\t'The JobSet as YAML'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l on-conflict -d 'What to do if a run of that name exists' -r -f -a "refuse\t'Refuse'
attach\t'Attach to it, if its spec is the same'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l keep-evidence -d 'Log lines kept of each failed container before a restart deletes it (0: none)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l fail-at -d 'When a failing Job is acted on' -r -f -a "failure-target\t'As soon as the Job is bound to fail'
failed\t'When all its pods have ended, as the in-cluster controller does'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -s d -l detach -d 'Create what can be created at once, print the name, leave; nobody drives the run then'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l take-over -d 'Take the driver\'s seat even if another driver is alive'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l logs -d 'Logs to stream to stdout: none, all, failed, or TARGET,… [default: none; env: KUBECTL_JOBSET_LOGS]' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l timeout -d 'Longest time to stay (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l on-timeout -d 'What to do then' -r -f -a "detach\t'Leave, the run goes on without a driver'
stop\t'End the run, keep its record and logs'
delete\t'Delete everything the run made'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l on-interrupt -d 'What to do on Ctrl-C, SIGTERM and SIGHUP [default: ask on a terminal, else detach; env: KUBECTL_JOBSET_ON_INTERRUPT]' -r -f -a "ask\t'Show the choices; without a terminal the same as detach'
detach\t'Leave, the run goes on without a driver'
stop\t'End the run, keep its record and logs'
delete\t'Delete everything the run made'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l rm -d 'Delete everything at the end, or only on success' -r -f -a "always\t'However the run ends'
success\t'Only if it completes'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l heartbeat -d 'How often to say that nothing has changed (0: never) [default: 10m]' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -s o -l output -d 'Form of the result on stdout' -r -f -a "json\t'One JSON event per line'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l read-only -d 'Look on, decide nothing'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l take-over -d 'Take the driver\'s seat even if another driver is alive'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand attach" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -s l -l selector -d 'Only runs with these labels' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -s o -l output -d 'Form of the result' -r -f -a "wide\t'The table with more columns'
json\t'`jobset.status/v1`'
yaml\t'The JobSet as admitted, with its status'
name\t'Only names'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -s w -l watch -d 'Look again whenever something changes'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -s A -l all-namespaces -d 'Runs of all namespaces'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l no-headers -d 'Table without headings'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l exit-code -d 'Return the code of the run\'s outcome, 21 while it is not finished'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l role -d 'Only that role (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l job -d 'Only Jobs with these indexes' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l index -d 'Only pods with these completion indexes' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -s c -l container -d 'Only that container' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l attempt -d 'Which attempt: current, previous, all, or its number' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l tail -d 'Last lines of each container (-1: all)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l since -d 'Only lines younger than that' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l since-time -d 'Only lines after that moment (RFC 3339)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l timestamps -d 'The time before each line' -r -f -a "rfc3339\t'As the server tells them'
short\t'Local time of day'
elapsed\t'Since the attempt began'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l prefix -d 'The source before each line' -r -f -a "auto\t'If there is more than one source'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l order -d 'Order of lines of several sources [default: arrival with -f, else time]' -r -f -a "arrival\t'As lines arrive'
time\t'By time, within a second when following'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -s o -l output -d 'Form of each line' -r -f -a "text\t'Lines with a prefix'
json\t'One JSON object per line'
raw\t'Lines as they are'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l max-log-requests -d 'Most streams at once' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l all-containers -d 'Init containers as well'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -s f -l follow -d 'Go on until the run has ended'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -s p -l previous -d 'The attempt before the current one'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l failed -d 'Only containers that failed; of earlier attempts what was kept'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l raw -d 'Let control characters through to the terminal'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand logs" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l dry-run -d 'Say what would be changed' -r -f -a "none\t'Do it'
client\t'Say what would be done, without asking the server to check it'
server\t'Have the server check it, change nothing'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -s o -l output -d 'Form of the result on stdout' -r -f -a "name\t'Only the name'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand suspend" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l dry-run -d 'Say what would be changed' -r -f -a "none\t'Do it'
client\t'Say what would be done, without asking the server to check it'
server\t'Have the server check it, change nothing'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -s o -l output -d 'Form of the result on stdout' -r -f -a "name\t'Only the name'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand resume" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l wait -d 'Wait until its pods are gone' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l dry-run -d 'Say what would be changed' -r -f -a "none\t'Do it'
client\t'Say what would be done, without asking the server to check it'
server\t'Have the server check it, change nothing'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -s o -l output -d 'Form of the result on stdout' -r -f -a "name\t'Only the name'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand stop" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l ignore-not-found -d 'A run that isn\'t there is no error' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l wait -d 'Wait until everything is gone' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l dry-run -d 'Say what would be changed' -r -f -a "none\t'Do it'
client\t'Say what would be done, without asking the server to check it'
server\t'Have the server check it, change nothing'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -s o -l output -d 'Form of the result on stdout' -r -f -a "name\t'Only the name'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l all -d 'Every run of the namespace'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -s y -l yes -d 'Don\'t ask'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand delete" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -s f -l filename -d 'Manifest, as in kubectl (can be repeated)' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l validate -d 'Fields that this build doesn\'t know' -r -f -a "strict\t'Refuse them'
warn\t'Warn and pass them on to the server'
ignore\t'Pass them on to the server'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -s o -l output -d 'Form of the result' -r -f -a "json\t'One JSON object'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -s f -l filename -d 'The manifest, as in kubectl (can be repeated; one JobSet in all)' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l validate -d 'Fields that this build doesn\'t know' -r -f -a "strict\t'Refuse them'
warn\t'Warn and pass them on to the server'
ignore\t'Pass them on to the server'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -s o -l output -d 'Form of the result' -r -f -a "yaml\t'Documents that kubectl apply takes'
json\t'A List'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand render" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -s f -l filename -d 'The manifest, as in kubectl (can be repeated; one JobSet in all)' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l validate -d 'Fields that this build doesn\'t know' -r -f -a "strict\t'Refuse them'
warn\t'Warn and pass them on to the server'
ignore\t'Pass them on to the server'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l fail -d 'TARGET:exit=N|signal=N|reason=R|message=TEXT@TIME[*TIMES]: fails so long after it began to run (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l evict -d 'TARGET@TIME[*TIMES]: pods are evicted so long after they began to run (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l never-ready -d 'Pods that run, but never become ready (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l run-time -d 'ROLE=DURATION: how long the role\'s pods run until they succeed [default: 1h] (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l nodes -d 'N[:RESOURCE=AMOUNT,…]: nodes of the cluster [default: enough for every pod] (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l seed -d 'Decides names, UIDs and jitter' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l until -d 'Virtual time after which it is given up' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l expect -d 'How it should end: completed, failed or failed:REASON; code 9 otherwise' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l script -d 'Commands and expectations instead of the flags above; with FILE, of that manifest' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -s o -l output -d 'Form of the result' -r -f -a "text\t'Lines for people'
json\t'One JSON object'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand simulate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -s o -l output -d 'Form of the result' -r -f -a "json\t'One JSON object'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l client -d 'Only this program, ask no server'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand version" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -f -a "bash" -d 'Print the script for bash'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -f -a "zsh" -d 'Print the script for zsh'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -f -a "fish" -d 'Print the script for fish'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -f -a "powershell" -d 'Print the script for PowerShell'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -f -a "elvish" -d 'Print the script for elvish'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -f -a "install" -d 'Write the helper by which kubectl 1.26 and later completes `kubectl jobset`'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from bash" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from fish" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l dir -d 'Directory of the helper, on PATH [default: where this program is]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand completion; and __fish_seen_subcommand_from install" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand local-host" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l port -d 'Port; any free one without' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l nodes -d 'Nodes, and what each has' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l seed -d 'Seed of names, UIDs and waits; a random one without' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand pocket" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -s n -l namespace -d 'Namespace' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l cluster -d 'Cluster of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l user -d 'User of the kubeconfig' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l kubeconfig -d 'The kubeconfig, instead of KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -s s -l server -d 'Address of the API server' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l token -d 'Bearer token' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l as -d 'User to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l as-group -d 'Group to act as (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l as-uid -d 'UID to act as' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l as-user-extra -d 'Extra field to act with (can be repeated)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l client-certificate -d 'Client certificate' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l client-key -d 'Client key' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l certificate-authority -d 'Certificate of the API server\'s authority' -r -F
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l insecure-skip-tls-verify -d 'Don\'t check the API server\'s certificate' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l tls-server-name -d 'Name that the API server\'s certificate must have' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l request-timeout -d 'Longest wait for one request, watches and log streams excepted (0: no limit)' -r
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l disable-compression -d 'Don\'t ask for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l cache-dir -d 'Taken for kubectl\'s sake; nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l local-dir -d 'Folder of local runs [default: kubectl-jobset in the user\'s state folder; env: KUBECTL_JOBSET_LOCAL_DIR]' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l color -d 'Colour [default: auto; env: KUBECTL_JOBSET_COLOR]' -r -f -a "auto\t'By terminal and environment (plugin-conventions C.7)'
always\t'Always'
never\t'Never'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l progress -d 'Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]' -r -f -a "auto\t'A live display on a terminal, plain lines elsewhere'
tty\t'A live display'
plain\t'One line per change'
json\t'One JSON event per line on stdout, as -o json'
quiet\t'Nothing but the verdict and errors'"
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -l local -d 'Pods are processes of this machine, no cluster is asked'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -s q -l quiet -d 'Say only the verdict and errors'
complete -c kubectl-jobset -n "__fish_kubectl_jobset_using_subcommand __complete" -s v -l verbose -d 'Say more: -v decisions, -vv API calls'
