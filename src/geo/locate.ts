import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Reader, type Response } from 'mmdb-lib'

/** ISO 3166-1 alpha-2 and, where known, ISO 3166-2 (`US-CA`). */
export type Location = { country?: string; region?: string }
export type Locate = (ip: string) => Location

/** A record of the built-in country file, or of a city file in MaxMind's format. */
type Row = {
  country_code?: string
  country?: { iso_code?: string }
  subdivisions?: readonly { iso_code?: string }[]
}

/** Knows no location and reads no file. */
export const locateNothing: Locate = () => ({})

const builtIn = () =>
  createRequire(import.meta.url).resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb')

/**
 * Opens the operator's city file, or the built-in country file if there is none. Throws an Error that names the file if
 * it cannot be read. The location is `{}` for an address that is private, malformed or not in the file.
 */
export async function openLocate(geoFile?: string): Promise<Locate> {
  const reader = await openReader(geoFile ?? builtIn())
  return (ip) => {
    if (!isIP(ip)) return {}
    const row = rowOf(reader, ipaddr.process(ip).toString())
    const country = row?.country_code ?? row?.country?.iso_code
    if (!country) return {}
    const subdivision = row?.subdivisions?.[0]?.iso_code
    return subdivision ? { country, region: `${country}-${subdivision}` } : { country }
  }
}

async function openReader(file: string): Promise<Reader<Response>> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      `The geo file ${file} cannot be read (${error.code}). Set AGLET_GEO_FILE to a MaxMind-format .mmdb file.`,
    )
  })
  try {
    return new Reader<Response>(bytes)
  } catch {
    throw new Error(`The geo file ${file} is not a MaxMind-format .mmdb file. Replace it.`)
  }
}

/** mmdb-lib throws for an IPv6 address in an IPv4-only file. Returns null instead. */
function rowOf(reader: Reader<Response>, ip: string): Row | null {
  if (reader.metadata.ipVersion === 4 && ip.includes(':')) return null
  return reader.get(ip) as Row | null
}
