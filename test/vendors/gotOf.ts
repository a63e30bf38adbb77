import type { WireRequest } from '#provider/engine/wireRequest.ts'
import type { Got } from './vendor.ts'

/** A request as the vendor sees it. */
export const gotOf = ({ method, url, headers, body = '' }: WireRequest): Got => {
  const { host, pathname, searchParams } = new URL(url)
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {}
  const form = Object.fromEntries(new URLSearchParams(body))
  return { method, host, path: pathname, query: Object.fromEntries(searchParams), headers, body, json, form }
}
