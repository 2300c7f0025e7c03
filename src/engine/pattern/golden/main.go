// Fills in what Go's regexp says: go run main.go < go_regexp.jsonl > new.jsonl
// The first line holds the texts; every other line a pattern, and then its error or, for each text, whether it matches.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"regexp/syntax"
	"runtime"
	"strings"
)

type line struct {
	Go      string   `json:"go,omitempty"`
	Texts   []string `json:"texts,omitempty"`
	Pattern string   `json:"pattern"`
	Matches string   `json:"matches,omitempty"`
	Error   string   `json:"error,omitempty"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<24)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	var texts []string
	for in.Scan() {
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			panic(err)
		}
		if l.Texts != nil {
			texts = l.Texts
			l.Go = strings.TrimPrefix(runtime.Version(), "go")
		} else if re, err := regexp.Compile(l.Pattern); err != nil {
			l.Matches, l.Error = "", err.(*syntax.Error).Code.String()
		} else {
			l.Matches, l.Error = "", ""
			for _, text := range texts {
				l.Matches += map[bool]string{true: "1", false: "0"}[re.MatchString(text)]
			}
		}
		if err := out.Encode(l); err != nil {
			panic(err)
		}
	}
}
