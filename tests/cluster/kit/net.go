package main

import (
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"time"
)

// ports holds all n listeners open before it closes the first, so that no
// port comes twice.
func ports(n int) error {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer l.Close()
		fmt.Println(l.Addr().(*net.TCPAddr).Port)
	}
	return nil
}

func token() error {
	raw := make([]byte, 16)
	if _, err := rand.Read(raw); err != nil {
		return err
	}
	fmt.Println(hex.EncodeToString(raw))
	return nil
}

// await does not check certificates: it asks loopback whether a server is
// there, sends nothing secret and believes nothing but the status code.
func await(seconds int, urls []string) error {
	client := &http.Client{
		Timeout:   2 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
	}
	deadline := time.Now().Add(time.Duration(seconds) * time.Second)
	for _, url := range urls {
		for last := "no answer"; ; time.Sleep(50 * time.Millisecond) {
			response, err := client.Get(url)
			if err == nil {
				response.Body.Close()
				if response.StatusCode == http.StatusOK {
					break
				}
				last = response.Status
			} else {
				last = err.Error()
			}
			if time.Now().After(deadline) {
				return fmt.Errorf("%s is not ready after %d s: %s", url, seconds, last)
			}
		}
	}
	return nil
}
