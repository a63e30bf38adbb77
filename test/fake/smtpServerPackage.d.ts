/** The part of smtp-server that tests use. */
declare module 'smtp-server' {
  import type { Server } from 'node:net'
  import type { Readable } from 'node:stream'

  type Session = { envelope: { mailFrom: { address: string } | false; rcptTo: { address: string }[] } }
  export type SMTPServerOptions = {
    key?: string
    cert?: string
    secure?: boolean
    authOptional?: boolean
    allowInsecureAuth?: boolean
    disabledCommands?: string[]
    logger?: false
    onAuth?(
      auth: { username?: string; password?: string },
      session: unknown,
      done: (error: Error | null, result?: { user: string }) => void,
    ): void
    onRcptTo?(to: { address: string }, session: Session, done: (error?: Error) => void): void
    onData?(stream: Readable, session: Session, done: (error?: Error) => void): void
  }
  export class SMTPServer {
    constructor(options: SMTPServerOptions)
    on(event: 'error', listener: (error: Error) => void): void
    listen(port: number, host: string): Server
    close(done: () => void): void
  }
}
