import { isIP } from 'node:net'
import type { Dns } from '#tag/dns.ts'

/** Fake DNS with these records: an address, another name, or for `_aglet.…` a text. */
export function fakeDns(names: ReadonlyMap<string, string>): Dns {
  const none = async () => Promise.reject(Object.assign(new Error('no record'), { code: 'ENODATA' }))
  const led = (host: string) => names.get(host) ?? ''
  return {
    texts: async (host) => (led(host) ? [led(host)] : none()),
    cname: async (host) => (isIP(led(host)) || !led(host) ? none() : [led(host)]),
    addresses: async (host) => (isIP(led(host)) ? [led(host)] : led(led(host)) ? [led(led(host))] : none()),
  }
}
