package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// A test cluster is thrown away long before this.
const validity = 30 * 24 * time.Hour

func pki(dir string, hosts []string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	now := time.Now()
	base := func(serial int64, name pkix.Name) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(serial),
			Subject:      name,
			NotBefore:    now.Add(-time.Minute),
			NotAfter:     now.Add(validity),
			KeyUsage:     x509.KeyUsageDigitalSignature,
		}
	}

	authority := base(1, pkix.Name{CommonName: "test-cluster-ca"})
	authority.IsCA, authority.BasicConstraintsValid = true, true
	authority.KeyUsage |= x509.KeyUsageCertSign
	authorityKey, err := issue(dir, "ca", authority, authority, nil)
	if err != nil {
		return err
	}

	server := base(2, pkix.Name{CommonName: "test-cluster"})
	server.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			server.IPAddresses = append(server.IPAddresses, ip)
		} else {
			server.DNSNames = append(server.DNSNames, host)
		}
	}
	if _, err := issue(dir, "server", server, authority, authorityKey); err != nil {
		return err
	}

	client := base(3, pkix.Name{CommonName: "kubelet-client", Organization: []string{"system:masters"}})
	client.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if _, err := issue(dir, "kubelet-client", client, authority, authorityKey); err != nil {
		return err
	}

	accounts, err := newKey(dir, "accounts")
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&accounts.PublicKey)
	if err != nil {
		return err
	}
	return write(dir, "accounts.pub", "PUBLIC KEY", public)
}

// issue writes NAME.crt and NAME.key; without a parent key it signs itself.
func issue(dir, name string, template, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (*ecdsa.PrivateKey, error) {
	key, err := newKey(dir, name)
	if err != nil {
		return nil, err
	}
	if parentKey == nil {
		parentKey = key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		return nil, err
	}
	return key, write(dir, name+".crt", "CERTIFICATE", der)
}

func newKey(dir, name string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, write(dir, name+".key", "EC PRIVATE KEY", der)
}

func write(dir, file, kind string, der []byte) error {
	block := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	return os.WriteFile(filepath.Join(dir, file), block, 0o600)
}
