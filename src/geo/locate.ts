import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Reader, type Response } from 'mmdb-lib'

/** ISO 3166-1 alpha-2 and, where known, ISO 3166-2 (`US-CA`). */
export type Located = { country?: string; region?: string }
export type Locate = (ip: string) => Located

/** A row of the built-in country file, or of a city file in MaxMind's shape. */
type Row = {
  country_code?: string
  country?: { iso_code?: string }
  subdivisions?: readonly { iso_code?: string }[]
}

const builtIn = () =>
  createRequire(import.meta.url).resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb')

/**
 * Opens the operator's own city file, or else the built-in country file. Throws one sentence when it cannot be read.
 * What is asked for an address that is private, malformed or not in the file is answered by an unknown place.
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
    throw new Error(`The geo file ${file} cannot be read (${error.code}): name a MaxMind-format .mmdb file.`)
  })
  try {
    return new Reader<Response>(bytes)
  } catch {
    throw new Error(`The geo file ${file} is not a MaxMind-format .mmdb file.`)
  }
}

/** A file of IPv4 alone throws for IPv6: to us that is a place not known. */
function rowOf(reader: Reader<Response>, ip: string): Row | null {
  if (reader.metadata.ipVersion === 4 && ip.includes(':')) return null
  return reader.get(ip) as Row | null
}
