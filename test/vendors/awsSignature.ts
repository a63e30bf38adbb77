import { createHash, createHmac } from 'node:crypto'
import { type Got, keyProblem, unless } from './vendor.ts'

/** The secret keys by access key id. Signatures of these keys are recomputed; of other keys only the format is checked. */
const known: Record<string, string> = { AKIDEXAMPLE: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }

const sha256 = (value: string) => createHash('sha256').update(value).digest('hex')
const hmac = (key: string | Buffer, value: string) => createHmac('sha256', key).update(value).digest()

type Signed = { id: string; scope: string; names: string; signature: string }
function signedBy({ headers }: Got, service: string): Signed | undefined {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/ ]{1,128})\/(\d{8}\/[\w-]{1,30}\/([\w-]{1,30})\/aws4_request), ?SignedHeaders=([\w;-]{1,300}), ?Signature=([0-9a-f]{64})$/
  const [, id, scope, named, names, signature] = form.exec(headers.authorization ?? '') ?? []
  return id && scope && names && signature && named === service ? { id, scope, names, signature } : undefined
}

/**
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, for a path of `/` without
 * a query.
 */
function signatureOf({ method, host, headers, body }: Got, { scope, names }: Signed, secret: string): string {
  const lines = names.split(';').map((name) => `${name}:${(name === 'host' ? host : headers[name])?.trim()}\n`)
  const canonical = [method, '/', '', lines.join(''), names, sha256(body)].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secret}`)
  return createHmac('sha256', key).update(toSign).digest('hex')
}

/** `20231114T221320Z` → epoch ms */
const timeOf = (date = '') =>
  Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))

/** What is wrong with the signature of a request to a service of AWS. The second label of the host is the region. */
export function awsKeyProblems(got: Got, now: number, service: string): string[] {
  const signed = signedBy(got, service)
  if (!signed) return ['The request is not signed.']
  const secret = known[signed.id]
  const names = signed.names.split(';')
  return [
    ...keyProblem(signed.id),
    ...unless(Math.abs(timeOf(got.headers['x-amz-date']) - now) <= 300_000, 'Signature expired.'),
    ...unless(signed.scope.split('/')[1] === got.host.split('.')[1], 'Credential should be scoped to this region.'),
    ...unless(
      ['host', 'x-amz-date'].every((name) => names.includes(name)),
      'host and x-amz-date must be signed.',
    ),
    ...unless(!secret || signatureOf(got, signed, secret) === signed.signature, 'The signature does not match.'),
  ]
}

/** AWS answers most errors with 400; the type distinguishes them. */
export const awsError = (type: string, message: string) => ({ status: 400, json: { __type: type, message } })
