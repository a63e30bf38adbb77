import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'

const bytes = (latin1: string) => Buffer.from(latin1, 'latin1')
const hash = (name: string) => name.replace('-', '').toLowerCase()

/** Takes as long whichever bytes differ; how many there are is no secret. */
const isSame = (one: Buffer, other: Buffer) => one.length === other.length && timingSafeEqual(one, other)

const partsOf = ({ href, origin, protocol, username, password, host, hostname, port, pathname, search, hash }: URL) =>
  JSON.stringify({ href, origin, protocol, username, password, host, hostname, port, pathname, search, hash })

const members = new Set('href protocol username password host hostname port pathname search hash'.split(' '))

function withMember(href: string, member: string, value: string): string {
  if (!members.has(member)) throw new TypeError(`${member} is no part of a URL`)
  const url = new URL(href)
  Object.assign(url, { [member]: value })
  return partsOf(url)
}

function decoded(latin1: string, label: string, options: string): string {
  const { fatal, ignoreBOM } = JSON.parse(options) as { fatal?: boolean; ignoreBOM?: boolean }
  return new TextDecoder(label, { fatal: fatal === true, ignoreBOM: ignoreBOM === true }).decode(bytes(latin1))
}

/** What the isolate asks of the child's own Node: texts in, a text out, bytes as latin1. Nothing here touches the world. */
const answers: ReadonlyMap<string, (...texts: string[]) => string> = new Map(
  Object.entries({
    parseUrl: (text, base) => partsOf(new URL(text!, base)),
    setUrl: (href, member, value) => withMember(href!, member!, value!),
    parseQuery: (text) => JSON.stringify([...new URLSearchParams(text)]),
    writeQuery: (pairs) => new URLSearchParams(JSON.parse(pairs!) as [string, string][]).toString(),
    encode: (text) => Buffer.from(text!).toString('latin1'),
    decode: (latin1, label, options) => decoded(latin1!, label!, options!),
    atob: (text) => atob(text!),
    btoa: (text) => btoa(text!),
    digest: (name, data) => createHash(hash(name!)).update(bytes(data!)).digest().toString('latin1'),
    hmac: (name, key, data) => createHmac(hash(name!), bytes(key!)).update(bytes(data!)).digest().toString('latin1'),
    isSame: (one, other) => (isSame(bytes(one!), bytes(other!)) ? 'yes' : 'no'),
    uuid: () => randomUUID(),
    random: (count) => randomBytes(Math.min(Number(count), 65_536)).toString('latin1'),
  } satisfies Record<string, (...texts: string[]) => string>),
)

/** Throws an error without a stack of ours where the question or its texts are no good. */
export function ask(what: unknown, ...texts: unknown[]): string {
  try {
    const answer = answers.get(`${what}`)
    if (!answer || !texts.every((text) => typeof text === 'string')) throw new TypeError('No such question')
    return answer(...(texts as string[]))
  } catch (error) {
    throw bare(error as Error)
  }
}

function bare({ name, message }: Error): Error {
  const error = name === 'RangeError' ? new RangeError(message) : new TypeError(message)
  error.stack = `${error.name}: ${message}`
  return error
}
