/** The two parts of nodemailer that are used. */
declare module 'nodemailer/lib/smtp-connection' {
  import { EventEmitter } from 'node:events'
  import type { ConnectionOptions } from 'node:tls'

  type Failure = Error & { responseCode?: number; response?: string }
  type Options = {
    host: string
    port: number
    secure: boolean
    requireTLS: boolean
    ignoreTLS: boolean
    connectionTimeout: number
    greetingTimeout: number
    socketTimeout: number
    dnsTimeout: number
    socketCloseTimeout: number
    maxResponseSize: number
    logger: false
    tls: ConnectionOptions
  }
  export default class SMTPConnection extends EventEmitter {
    constructor(options: Options)
    connect(done: (failed?: Failure) => void): void
    login(auth: { user: string; pass: string }, done: (refused: Failure | null) => void): void
    send(
      envelope: { from: string; to: string[]; size: number },
      message: Buffer,
      done: (error: Failure | null) => void,
    ): void
    quit(): void
    close(): void
  }
}

declare module 'nodemailer/lib/mail-composer' {
  type Address = { name: string; address: string }
  export default class MailComposer {
    constructor(mail: {
      from: Address
      to: Address
      subject: string
      text: string
      html: string
      headers: Record<string, string>
      disableFileAccess: true
      disableUrlAccess: true
    })
    compile(): { build(): Promise<Buffer> }
  }
}
