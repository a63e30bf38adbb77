import type { ConnectionOptions } from 'node:tls'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { isLoopback } from '#settings/settings.ts'
import { type MailError, toMailError } from './mailError.ts'

/** The server from the setting, and how to connect to it. `tls`: more options for its certificate. */
export type SmtpServer = {
  host: string
  port: number
  /** Implicit TLS */
  secure: boolean
  /** Requires STARTTLS; otherwise no mail is sent */
  requireTls: boolean
  auth?: { user: string; pass: string }
  tls?: ConnectionOptions
}

/** `url`: a valid value of the setting. */
export function toSmtpServer(url: string): SmtpServer {
  const { protocol, hostname, port, username, password } = new URL(url)
  const secure = protocol === 'smtps:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  return {
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTls: !secure && !isLoopback(hostname),
    ...(username !== '' && { auth }),
  }
}

export const smtpServerName = ({ host, port }: Pick<SmtpServer, 'host' | 'port'>) =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`

export type SmtpTimes = { stepMs: number; wholeMs: number }
/** `wholeMs` also stops a server that keeps sending single bytes. */
const defaultTimes: SmtpTimes = { stepMs: 15_000, wholeMs: 60_000 }

/** The raw message, and its two envelope addresses. */
export type SmtpMessage = { from: string; to: string; raw: Buffer }

/** Runs a dialogue with the server, then closes the connection. Rejects with MailError. */
function withConnection(
  { host, port, secure, requireTls, auth, tls }: SmtpServer,
  { stepMs, wholeMs }: SmtpTimes,
  run: (connection: SMTPConnection, done: (error?: Error | null) => void) => void,
): Promise<void> {
  const connection = new SMTPConnection({
    ...{ host, port, secure, requireTLS: requireTls, ignoreTLS: !requireTls },
    ...{ connectionTimeout: stepMs, greetingTimeout: stepMs, socketTimeout: stepMs, dnsTimeout: stepMs },
    ...{ socketCloseTimeout: 0, maxResponseSize: 65_536, logger: false },
    tls: { minVersion: 'TLSv1.2', ...tls },
  })
  return new Promise<void>((resolve, reject: (error: MailError) => void) => {
    const whole = setTimeout(() => done(new Error('The mail server did not respond in time.')), wholeMs)
    const done = (error?: Error | null) => {
      clearTimeout(whole)
      // Settle first, because `close` emits `end`.
      if (error) reject(toMailError(error))
      else resolve()
      if (error) connection.close()
      else connection.quit()
    }
    connection.on('error', done) // also after settling, when no other listener is left
    connection.on('end', () => done(new Error('The mail server closed the connection.')))
    connection.connect((failed) => {
      if (failed) return done(failed)
      if (!auth) return run(connection, done)
      connection.login(auth, (refused) => (refused ? done(refused) : run(connection, done)))
    })
  })
}

/** Sends one message. Resolves once the server has accepted it. Rejects with MailError. */
export const sendBySmtp = (server: SmtpServer, { from, to, raw }: SmtpMessage, times = defaultTimes): Promise<void> =>
  withConnection(server, times, (connection, done) =>
    connection.send({ from, to: [to], size: raw.length }, raw, (error) => done(error)),
  )

/** Connects and signs in as for a mail, but sends none. Rejects with MailError. */
export const probeSmtp = (server: SmtpServer, times: SmtpTimes = { stepMs: 5_000, wholeMs: 10_000 }): Promise<void> =>
  withConnection(server, times, (_connection, done) => done())
