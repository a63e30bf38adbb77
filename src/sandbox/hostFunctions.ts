import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'

const bytes = (latin1: string) => Buffer.from(latin1, 'latin1')
const hashName = (name: string) => name.replace('-', '').toLowerCase()

/** Compares in constant time. The length is not secret. */
const isSame = (one: Buffer, other: Buffer) => one.length === other.length && timingSafeEqual(one, other)

const serializeUrl = ({
  href,
  origin,
  protocol,
  username,
  password,
  host,
  hostname,
  port,
  pathname,
  search,
  hash,
}: URL) => JSON.stringify({ href, origin, protocol, username, password, host, hostname, port, pathname, search, hash })

const urlMembers = new Set('href protocol username password host hostname port pathname search hash'.split(' '))

function setUrlMember(href: string, member: string, value: string): string {
  if (!urlMembers.has(member)) throw new TypeError(`${member} is not a member of a URL`)
  const url = new URL(href)
  Object.assign(url, { [member]: value })
  return serializeUrl(url)
}

function decodeText(latin1: string, label: string, options: string): string {
  const { fatal, ignoreBOM } = JSON.parse(options) as { fatal?: boolean; ignoreBOM?: boolean }
  return new TextDecoder(label, { fatal: fatal === true, ignoreBOM: ignoreBOM === true }).decode(bytes(latin1))
}

/**
 * Functions of the child's Node that the isolate can call. Arguments and results are texts; bytes are latin1. They do
 * no input or output.
 */
const hostFunctions: ReadonlyMap<string, (...texts: string[]) => string> = new Map(
  Object.entries({
    parseUrl: (text, base) => serializeUrl(new URL(text!, base)),
    setUrl: (href, member, value) => setUrlMember(href!, member!, value!),
    parseQuery: (text) => JSON.stringify([...new URLSearchParams(text)]),
    writeQuery: (pairs) => new URLSearchParams(JSON.parse(pairs!) as [string, string][]).toString(),
    encode: (text) => Buffer.from(text!).toString('latin1'),
    decode: (latin1, label, options) => decodeText(latin1!, label!, options!),
    atob: (text) => atob(text!),
    btoa: (text) => btoa(text!),
    digest: (name, data) => createHash(hashName(name!)).update(bytes(data!)).digest().toString('latin1'),
    hmac: (name, key, data) =>
      createHmac(hashName(name!), bytes(key!)).update(bytes(data!)).digest().toString('latin1'),
    isSame: (one, other) => (isSame(bytes(one!), bytes(other!)) ? 'yes' : 'no'),
    uuid: () => randomUUID(),
    random: (count) => randomBytes(Math.min(Number(count), 65_536)).toString('latin1'),
  } satisfies Record<string, (...texts: string[]) => string>),
)

/** Calls a host function by its name. Throws an error without a stack when the name or an argument is invalid. */
export function callHostFunction(name: unknown, ...texts: unknown[]): string {
  try {
    const hostFunction = hostFunctions.get(`${name}`)
    if (!hostFunction || !texts.every((text) => typeof text === 'string'))
      throw new TypeError('Host function not found')
    return hostFunction(...(texts as string[]))
  } catch (error) {
    throw withoutStack(error as Error)
  }
}

function withoutStack({ name, message }: Error): Error {
  const error = name === 'RangeError' ? new RangeError(message) : new TypeError(message)
  error.stack = `${error.name}: ${message}`
  return error
}
