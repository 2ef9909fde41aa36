// The certificate that the host expects in the handshake.
import 'reflect-metadata'; // @peculiar/x509 needs it, and needs it first
import { KeyObject, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const day = 24 * 60 * 60 * 1000; // milliseconds

/**
 * Makes a key and a certificate for this process alone. The host verifies that
 * the server has the certificate of the handshake line, that it is for the name
 * localhost, for servers, and valid now. Returned are both as PEM, and what the
 * handshake line holds: the certificate's DER in base64 without padding.
 */
export async function ownCertificate(now = Date.now()) {
  const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01' + Buffer.from(webcrypto.getRandomValues(new Uint8Array(15))).toString('hex'),
    name: 'CN=localhost',
    notBefore: new Date(now - 60_000),
    notAfter: new Date(now + 3650 * day),
    keys,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }]),
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    ],
  }, webcrypto);
  return {
    certificate: certificate.toString('pem'),
    key: KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }),
    line: Buffer.from(certificate.rawData).toString('base64').replace(/=+$/, ''),
  };
}
