// Command kit does the chores of the test cluster's scripts.
//
//	kit ports N                           N free loopback ports, one a line
//	kit token                             a random bearer token
//	kit pki DIR HOST...                   one CA, a serving certificate for HOST..., a client
//	                                      certificate for kubelets, a key for service accounts
//	kit await SECONDS URL...              wait until each URL answers 200
//	kit image FILE NAME:TAG ROOT [ENTRYPOINT...]
//	                                      pack the folder ROOT as an OCI image archive
//	kit logs ADDRESS API CERT KEY         serve the logs of fake pods as a kubelet would; reads
//	                                      pods from API with the token in KIT_TOKEN
package main

import (
	"fmt"
	"os"
	"strconv"
)

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("which chore? ports, token, pki, await, image or logs"))
	}
	chore, args := os.Args[1], os.Args[2:]
	var err error
	switch {
	case chore == "ports" && len(args) == 1:
		var n int
		if n, err = strconv.Atoi(args[0]); err == nil {
			err = ports(n)
		}
	case chore == "token" && len(args) == 0:
		err = token()
	case chore == "pki" && len(args) >= 2:
		err = pki(args[0], args[1:])
	case chore == "await" && len(args) >= 2:
		var seconds int
		if seconds, err = strconv.Atoi(args[0]); err == nil {
			err = await(seconds, args[1:])
		}
	case chore == "image" && len(args) >= 3:
		err = image(args[0], args[1], args[2], args[3:])
	case chore == "logs" && len(args) == 4:
		err = logs(args[0], args[1], args[2], args[3])
	default:
		err = fmt.Errorf("cannot make sense of %q", os.Args[1:])
	}
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "kit:", err)
	os.Exit(1)
}
