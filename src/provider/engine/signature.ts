import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import aws4 from 'aws4'
import OAuth from 'oauth-1.0a'
import { Webhook } from 'standardwebhooks'
import { createLruCache } from '#kit/lruCache.ts'
import type { Signature } from '#provider/form/request.ts'
import { toSigningSecret } from '#provider/form/variables.ts'
import type { WireRequest } from './wireRequest.ts'

type Headers = Record<string, string>

/** The id as a header value: characters that are not visible ASCII are percent-encoded. */
const headerId = (id: string) => id.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent)

function byStandardWebhooks(secret: string, given: string, { body = '' }: WireRequest, now: number): Headers {
  const id = headerId(given)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': new Webhook(toSigningSecret(secret)).sign(id, new Date(now), body),
  }
}

type Aws4 = Extract<Signature, { aws4: unknown }>['aws4']

/** `20231114T221320Z` */
const amazonTime = (now: number) => new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, '')

const signingKeys = createLruCache<string, KeyObject>(1_000)

/** The key of a day, region and service (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html). */
function signingKey(secret: string, scope: readonly string[]): KeyObject {
  const name = [secret, ...scope].join('\n')
  const known = signingKeys.get(name)
  if (known) return known
  const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  const key = createSecretKey([...scope, 'aws4_request'].reduce(hmac, Buffer.from(`AWS4${secret}`)))
  signingKeys.set(name, key)
  return key
}

/** aws4 caches the daily key as bytes. With bytes, Node's HMAC takes six times as long as with a KeyObject. */
class KeyedSigner extends aws4.RequestSigner {
  override signature(): string {
    const { secretAccessKey = '' } = this.credentials
    const key = signingKey(secretAccessKey, [this.getDate(), this.region, this.service])
    return createHmac('sha256', key).update(this.stringToSign()).digest('hex')
  }
}

function byAws4({ service, region, ...credentials }: Aws4, request: WireRequest, now: number): Headers {
  const { host, pathname, search } = new URL(request.url)
  const unsigned = {
    ...request,
    host,
    path: pathname + search,
    service,
    region,
    headers: { ...request.headers, 'X-Amz-Date': amazonTime(now) },
    // content-length is not signed because a proxy can change it.
    extraHeadersToIgnore: { 'content-length': true },
  }
  const { headers = {} } = new KeyedSigner(unsigned, credentials).sign()
  const added = ['Authorization', 'X-Amz-Date', 'X-Amz-Security-Token'].filter((name) => headers[name])
  return Object.fromEntries(added.map((name) => [name.toLowerCase(), String(headers[name])]))
}

type OAuth1 = Extract<Signature, { oauth1: unknown }>['oauth1']

/** Derived from the request and the time: different requests in the same second have different nonces. */
const nonceOf = ({ url, body = '' }: WireRequest, now: number) =>
  createHash('sha256').update(`${now} ${url} ${body}`).digest('hex').slice(0, 32)

function byOAuth1({ consumerKey, consumerSecret, token, tokenSecret }: OAuth1, request: WireRequest, now: number) {
  const oauth = new OAuth({
    consumer: { key: consumerKey, secret: consumerSecret },
    signature_method: 'HMAC-SHA1',
    hash_function: (text, key) => createHmac('sha1', key).update(text).digest('base64'),
  })
  oauth.getNonce = () => nonceOf(request, now)
  oauth.getTimeStamp = () => Math.floor(now / 1000)
  const { origin, pathname, searchParams } = new URL(request.url)
  const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded'
  const data = Object.fromEntries([...searchParams, ...(isForm ? new URLSearchParams(request.body) : [])])
  const signable = { method: request.method, url: origin + pathname, data }
  const authorized = oauth.authorize(signable, { key: token, secret: tokenSecret })
  // Form fields are signed but stay in the body.
  const own = Object.entries(authorized).filter(([name]) => name.startsWith('oauth_'))
  return { authorization: oauth.toHeader(Object.fromEntries(own) as typeof authorized).Authorization }
}

/** The headers that sign a request. `now` (epoch ms): the time of the signature. */
export function signatureHeaders(request: WireRequest, sign: Signature, now: number): Headers {
  if ('aws4' in sign) return byAws4(sign.aws4, request, now)
  if ('oauth1' in sign) return byOAuth1(sign.oauth1, request, now)
  return byStandardWebhooks(sign.standardWebhooks, sign.id, request, now)
}
