# shellcheck shell=bash
real_node_possible() { say 'not yet'; exit 77; }
restore_machine() { :; }
