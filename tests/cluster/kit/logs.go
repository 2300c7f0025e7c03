package main

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	textNote  = "kubectl-jobset.test/log"
	everyNote = "kubectl-jobset.test/log-every"
	// A follower looks this often whether its container has ended.
	followPeriod = 200 * time.Millisecond
)

var errGone = errors.New("pod not found")

// logServer answers what an API server asks a kubelet when somebody wants to
// see the log of a pod. It knows nothing itself: the pod's annotations say what
// was printed, its status says how far the container has come.
type logServer struct {
	api, token string
	client     *http.Client
}

type pod struct {
	Metadata struct {
		Annotations map[string]string
	}
	Status struct {
		ContainerStatuses []struct {
			Name  string
			State struct {
				Running    *struct{ StartedAt time.Time }
				Terminated *struct{ StartedAt, FinishedAt time.Time }
			}
		}
	}
}

type line struct {
	at   time.Time
	text string
}

// logs serves on address until it is ended. The token comes by the
// environment, as arguments can be seen by everyone.
func logs(address, api, certificate, key string) error {
	server := &logServer{
		api: api, token: os.Getenv("KIT_TOKEN"),
		// The API server is the loopback one that started with us.
		client: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", server.serve)
	return http.ListenAndServeTLS(address, certificate, key, mux)
}

func (s *logServer) serve(w http.ResponseWriter, r *http.Request) {
	namespace, name, container := r.PathValue("namespace"), r.PathValue("pod"), r.PathValue("container")
	query := r.URL.Query()
	if query.Get("previous") == "true" {
		http.Error(w, fmt.Sprintf("previous terminated container %q in pod %q not found", container, name), http.StatusBadRequest)
		return
	}
	printed, started, ended, err := s.look(r, namespace, name, container)
	switch {
	case errors.Is(err, errGone):
		http.Error(w, fmt.Sprintf("pod %q not found", name), http.StatusNotFound)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	case !started:
		http.Error(w, fmt.Sprintf("container %q in pod %q is waiting to start: ContainerCreating", container, name), http.StatusBadRequest)
		return
	}

	out, err := newLogWriter(w, query)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	next := 0
	if tail := query.Get("tailLines"); tail != "" {
		keep, err := strconv.Atoi(tail)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		next = max(0, len(printed)-keep)
	}
	for {
		for ; next < len(printed); next++ {
			if out.put(printed[next]) != nil {
				return
			}
		}
		if ended || query.Get("follow") != "true" {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-time.After(followPeriod):
		}
		// A pod that has gone ends the stream, as it does with a kubelet.
		if printed, _, ended, err = s.look(r, namespace, name, container); err != nil {
			return
		}
	}
}

// look says what the container has printed by now, and where it stands.
func (s *logServer) look(r *http.Request, namespace, name, container string) (printed []line, started, ended bool, err error) {
	var p pod
	if err := s.get(r, fmt.Sprintf("/api/v1/namespaces/%s/pods/%s", namespace, name), &p); err != nil {
		return nil, false, false, err
	}
	var since time.Time
	for _, status := range p.Status.ContainerStatuses {
		switch state := status.State; {
		case status.Name != container:
		case state.Terminated != nil:
			since, started, ended = state.Terminated.StartedAt, true, true
			if since.IsZero() {
				since = state.Terminated.FinishedAt
			}
		case state.Running != nil:
			since, started = state.Running.StartedAt, true
		}
	}
	text, own := p.Metadata.Annotations[textNote]
	if !own {
		text = fmt.Sprintf("%s: first line\n%s: last line", name, name)
	}
	every, _ := strconv.ParseFloat(p.Metadata.Annotations[everyNote], 64)
	for i, text := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		at := since.Add(time.Duration(float64(i) * every * float64(time.Second)))
		// Whoever has ended has printed everything: tests can rely on that.
		if started && (ended || !at.After(time.Now())) {
			printed = append(printed, line{at, text})
		}
	}
	return printed, started, ended, nil
}

func (s *logServer) get(r *http.Request, path string, into any) error {
	request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, s.api+path, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return err
	case response.StatusCode == http.StatusNotFound:
		return errGone
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("API server says %s", response.Status)
	}
	return json.Unmarshal(body, into)
}

// logWriter applies the options that look at single lines.
type logWriter struct {
	out        http.ResponseWriter
	timestamps bool
	since      time.Time
	left       int64 // bytes; negative: no limit
}

func newLogWriter(w http.ResponseWriter, query url.Values) (*logWriter, error) {
	out := &logWriter{out: w, timestamps: query.Get("timestamps") == "true", left: -1}
	var err error
	if limit := query.Get("limitBytes"); limit != "" {
		if out.left, err = strconv.ParseInt(limit, 10, 64); err != nil {
			return nil, err
		}
	}
	if since := query.Get("sinceTime"); since != "" {
		if out.since, err = time.Parse(time.RFC3339, since); err != nil {
			return nil, err
		}
	}
	if seconds := query.Get("sinceSeconds"); seconds != "" {
		n, err := strconv.Atoi(seconds)
		if err != nil {
			return nil, err
		}
		out.since = time.Now().Add(-time.Duration(n) * time.Second)
	}
	return out, nil
}

func (l *logWriter) put(printed line) error {
	if printed.at.Before(l.since) {
		return nil
	}
	text := printed.text + "\n"
	if l.timestamps {
		text = printed.at.UTC().Format(time.RFC3339Nano) + " " + text
	}
	if l.left >= 0 && int64(len(text)) >= l.left {
		_, _ = io.WriteString(l.out, text[:l.left])
		return io.EOF
	}
	if l.left >= 0 {
		l.left -= int64(len(text))
	}
	if _, err := io.WriteString(l.out, text); err != nil {
		return err
	}
	return http.NewResponseController(l.out).Flush()
}
