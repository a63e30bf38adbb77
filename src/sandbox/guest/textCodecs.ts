import type { GuestGlobals, GuestHost } from './guestHost.ts'

export function textCodecs(host: GuestHost, web: GuestGlobals) {
  web.DOMException = class DOMException extends Error {
    constructor(message: unknown = '', name: unknown = 'Error') {
      super(`${message}`)
      Object.defineProperty(this, 'name', { value: `${name}`, configurable: true })
    }
  }
  web.bytesOf = (latin1: string) => Uint8Array.from(latin1, (char) => char.charCodeAt(0))
  web.latin1Of = (data: unknown): string => {
    const isView = ArrayBuffer.isView(data)
    if (!isView && !(data instanceof ArrayBuffer))
      throw new TypeError('The bytes must be an ArrayBuffer or a view of one')
    const bytes = isView ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data)
    let latin1 = ''
    for (let at = 0; at < bytes.length; at += 4096) latin1 += String.fromCharCode(...bytes.subarray(at, at + 4096))
    return latin1
  }
  web.TextEncoder = class TextEncoder {
    readonly encoding = 'utf-8'
    encode(input: unknown = '') {
      return web.bytesOf(host.ask('encode', `${input}`))
    }
  }
  web.TextDecoder = class TextDecoder {
    readonly encoding: string
    readonly fatal: boolean
    readonly ignoreBOM: boolean
    constructor(label: unknown = 'utf-8', options: { fatal?: boolean; ignoreBOM?: boolean } = {}) {
      this.fatal = Boolean(options.fatal)
      this.ignoreBOM = Boolean(options.ignoreBOM)
      this.encoding = `${label}`.toLowerCase()
      this.decode(new Uint8Array())
    }
    decode(data: unknown = new Uint8Array()) {
      return host.ask('decode', web.latin1Of(data), this.encoding, JSON.stringify(this))
    }
  }
  web.atob = (input: unknown) => host.ask('atob', `${input}`)
  web.btoa = (input: unknown) => host.ask('btoa', `${input}`)
}
