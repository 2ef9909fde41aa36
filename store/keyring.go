package store

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// envelope marks an encrypted config; then come the key's id, a colon, and nonce
// and ciphertext in base64. A plain one is a JSON object and begins otherwise.
const envelope = "enc1:"

// keyring is the keys under which sources' configs may be kept. It is never
// changed once others see it.
type keyring struct {
	current string                 // id of the key for what is written; "" leaves it plain
	keys    map[string]cipher.AEAD // by id
}

// writing is the same keys with what is written left as it was before.
func (k *keyring) writing(before *keyring) *keyring {
	out := &keyring{keys: k.keys}
	if before != nil {
		out.current = before.current
	}
	return out
}

// newAEAD makes the cipher of a key, and the id by which rows name it.
func newAEAD(key []byte) (id string, _ cipher.AEAD, err error) {
	if len(key) < KeyLength {
		return "", nil, core.Errorf(core.KindConfig,
			"The key for secrets has %d bytes; it needs at least %d, for instance from: openssl rand -hex 32", len(key), KeyLength)
	}
	if len(key) > KeyLength {
		if key, err = hkdf.Key(sha256.New, key, nil, "footnote secrets", KeyLength); err != nil {
			return "", nil, err
		}
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return "", nil, err
	}
	aead, err := cipher.NewGCM(block)
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:4]), aead, err
}

// cutEnvelope tells the key's id and what is in the envelope, if it is one.
func cutEnvelope(config string) (id, data string, sealed bool) {
	rest, sealed := strings.CutPrefix(config, envelope)
	if !sealed {
		return "", "", false
	}
	id, data, _ = strings.Cut(rest, ":")
	return id, data, true
}

// seal encrypts a config for its column. The source's name is bound to it, so
// that a row cannot be moved to another source.
func (k *keyring) seal(source, config string) (string, error) {
	if k == nil || k.current == "" {
		return config, nil
	}
	aead := k.keys[k.current]
	nonce := make([]byte, aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return "", err
	}
	sealed := aead.Seal(nonce, nonce, []byte(config), []byte(source))
	return envelope + k.current + ":" + base64.StdEncoding.EncodeToString(sealed), nil
}

// open is the way back; what is plain stays as it is.
func (k *keyring) open(source, config string) (string, error) {
	id, data, sealed := cutEnvelope(config)
	if !sealed {
		return config, nil
	}
	var aead cipher.AEAD
	if k != nil {
		aead = k.keys[id]
	}
	if aead == nil {
		return "", core.Errorf(core.KindConfig,
			"The config of source %q is encrypted with the key %s, which was not given; start Footnote with that key, as the current or an old one, or, if it is lost, remove the source and add it anew.", source, id)
	}
	plain, err := decrypt(aead, data, source)
	if err != nil {
		return "", core.Wrap(core.KindConfig, err,
			"The config of source \""+source+"\" was changed outside of Footnote and cannot be read with the key "+id+"; restore a backup, or remove the source and add it anew.")
	}
	return plain, nil
}

func decrypt(aead cipher.AEAD, data, source string) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return "", err
	}
	if len(raw) < aead.NonceSize() {
		return "", errors.New("the envelope is too short")
	}
	nonce, sealed := raw[:aead.NonceSize()], raw[aead.NonceSize():]
	plain, err := aead.Open(nil, nonce, sealed, []byte(source))
	return string(plain), err
}
