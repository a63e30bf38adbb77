import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import ipaddr from 'ipaddr.js'

const types = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 } as const
export type RecordType = keyof typeof types

/** One resource record. `name` defaults to the name of the question. */
export type DnsRecord = { type: RecordType; data: string; name?: string; ttl?: number }

/** The answer of a name server; `silent` means none. */
export type DnsReply = readonly DnsRecord[] | 'NXDOMAIN' | 'SERVFAIL' | 'silent'

/** The answer to a question that was already asked `nth` times. */
export type DnsZone = (name: string, type: RecordType, nth: number) => DnsReply

export type DnsServer = {
  /** `127.0.0.1:<port>`, in the form of AGLET_DNS_SERVERS. */
  address: string
  /** Every received question, `<type> <name>`. */
  asked: string[]
  close(): void
}

const codes = { NXDOMAIN: 3, SERVFAIL: 2 }

const encodeName = (name: string) =>
  Buffer.concat([
    ...name.split('.').flatMap((label) => [Buffer.from([Buffer.byteLength(label)]), Buffer.from(label)]),
    Buffer.from([0]),
  ])

/** Encodes a text in strings of up to 255 bytes. */
const encodeTexts = (text: string) => {
  const bytes = Buffer.from(text)
  const parts = Array.from({ length: Math.ceil(bytes.length / 255) || 1 }, (_, n) =>
    bytes.subarray(n * 255, n * 255 + 255),
  )
  return Buffer.concat(parts.flatMap((part) => [Buffer.from([part.length]), part]))
}

function encodeData({ type, data }: DnsRecord): Buffer {
  if (type === 'CNAME') return encodeName(data)
  return type === 'TXT' ? encodeTexts(data) : Buffer.from(ipaddr.parse(data).toByteArray())
}

function encodeRecord(record: DnsRecord, asked: string): Buffer {
  const data = encodeData(record)
  const head = Buffer.alloc(10)
  head.writeUInt16BE(types[record.type], 0)
  head.writeUInt16BE(1, 2)
  head.writeUInt32BE(record.ttl ?? 0, 4)
  head.writeUInt16BE(data.length, 8)
  return Buffer.concat([encodeName(record.name ?? asked), head, data])
}

/** The one question of a message (RFC 1035, 4.1.2). */
function readQuestion(message: Buffer): { name: string; type: RecordType | undefined; bytes: Buffer } {
  const labels: string[] = []
  let at = 12
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.subarray(at + 1, at + 1 + length).toString())
    at += 1 + length
  }
  const number = message.readUInt16BE(at + 1)
  const type = (Object.keys(types) as RecordType[]).find((each) => types[each] === number)
  return { name: labels.join('.').toLowerCase(), type, bytes: message.subarray(12, at + 5) }
}

function answerTo(message: Buffer, reply: Exclude<DnsReply, 'silent'>): Buffer {
  const { name, bytes } = readQuestion(message)
  const records = typeof reply === 'string' ? [] : reply
  const head = Buffer.alloc(12)
  message.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x8180 | (typeof reply === 'string' ? codes[reply] : 0), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(records.length, 6)
  return Buffer.concat([head, bytes, ...records.map((record) => encodeRecord(record, name))])
}

/** A name server on loopback over UDP with the answers of `zone`. */
export async function openDns(zone: DnsZone): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (message, from) => {
    const { name, type } = readQuestion(message)
    const nth = asked.filter((each) => each === `${type} ${name}`).length
    asked.push(`${type} ${name}`)
    const reply = type ? zone(name, type, nth) : []
    if (reply !== 'silent') socket.send(answerTo(message, reply), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => socket.close() }
}

/** A name server with the records that a customer sets for host names of a tag. */
export async function openHostDns(): Promise<DnsServer & { tags: Map<string, string> }> {
  const tags = new Map<string, string>()
  const server = await openDns((name, type) => {
    const tagId = tags.get(name.replace(/^_aglet\./, ''))
    if (tagId === undefined) return 'NXDOMAIN'
    if (type === 'TXT' && name.startsWith('_aglet.')) return [{ type, data: tagId }]
    return type === 'A' ? [{ type, data: '192.0.2.1' }] : []
  })
  return { ...server, tags }
}
