import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { until } from './clock.ts'

/** A received mail, decoded. `raw`: as received. */
export type ReceivedMail = { from: string; to: string[]; subject: string; text: string; html: string; raw: string }

const decodeQuoted = (text: string) =>
  Buffer.from(
    text.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()

/** The encoded words of a header (RFC 2047), unfolded. */
const decodeWords = (text: string) =>
  text
    .replace(/\r\n\s/g, ' ')
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, form, word) =>
      form.toUpperCase() === 'B' ? Buffer.from(word, 'base64').toString() : decodeQuoted(word.replaceAll('_', ' ')),
    )

export const headerOf = (raw: string, name: string) =>
  decodeWords(new RegExp(`^${name}: ((?:.*)(?:\r\n[ \t].*)*)`, 'im').exec(raw.split('\r\n\r\n')[0]!)?.[1] ?? '')

function partOf(raw: string, type: string): string {
  const boundary = /boundary="([^"]+)"/.exec(raw)?.[1]
  const part = raw.split(`--${boundary}`).find((each) => each.includes(`Content-Type: ${type}`)) ?? ''
  const [head = '', ...body] = part.split('\r\n\r\n')
  const text = body.join('\r\n\r\n').replace(/\r\n$/, '')
  if (/encoding: base64/i.test(head)) return Buffer.from(text, 'base64').toString()
  return /encoding: quoted-printable/i.test(head) ? decodeQuoted(text) : text
}

/** A real SMTP server on a loopback port that keeps its mails. `refuse` rejects a recipient with an error. */
export async function openInbox(options: SMTPServerOptions & { refuse?: (to: string) => Error | undefined } = {}) {
  const { refuse, ...more } = options
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key ? [] : ['STARTTLS'],
    logger: false,
    onRcptTo: ({ address }, _session, done) => done(refuse?.(address)),
    onData: async (stream, { envelope }, done) => {
      const raw = (await buffer(stream)).toString()
      mails.push({
        from: envelope.mailFrom ? envelope.mailFrom.address : '',
        to: envelope.rcptTo.map(({ address }) => address),
        subject: headerOf(raw, 'Subject'),
        text: partOf(raw, 'text/plain'),
        html: partOf(raw, 'text/html'),
        raw,
      })
      done()
    },
    ...more,
  })
  server.on('error', () => {}) // a client that disconnects
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    mails,
    /** The next mail to an address that no earlier call returned. */
    async next(to: string): Promise<ReceivedMail> {
      const find = () => mails.findIndex((mail) => mail.to.includes(to))
      await until(`a mail to ${to} comes`, () => find() >= 0)
      return mails.splice(find(), 1)[0]!
    },
    async close() {
      server.close(() => {})
    },
  }
}
export type Inbox = Awaited<ReturnType<typeof openInbox>>
