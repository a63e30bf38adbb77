import XmlBuilder from 'fast-xml-builder'
import type { RequestParams, RequestSpec } from '#provider/form/request.ts'
import { formEncode } from './formEncode.ts'

/** The characters that XML 1.0 does not allow, not even as references. */
const invalidInXml = /[^\t\n\r\x20-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu
const xmlText = (value: unknown) => (typeof value === 'string' ? value.toWellFormed().replace(invalidInXml, '') : value)

/** Called for invalid names only. */
const xmlName = (name: string) => name.replace(/[^\w.-]/g, '_').replace(/^(?![A-Za-z_])/, '_')

const xmlBuilder = new XmlBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  suppressBooleanAttributes: false,
  tagValueProcessor: (_, value) => xmlText(value),
  attributeValueProcessor: (_, value) => xmlText(value),
  sanitizeName: xmlName,
})

/** Encodes a query or a form: `a=1&b=%3F`. Undefined fields are omitted. */
export function encodeParams(params: RequestParams): string {
  const pairs: string[] = []
  for (const key in params)
    if (params[key] !== undefined) pairs.push(`${formEncode(key)}=${formEncode(String(params[key]))}`)
  return pairs.join('&')
}

/** The body as text, and its content type; nothing where the request has no body. */
export function encodeBody({ json, form, text, ndjson, xml }: RequestSpec): { body?: string; contentType?: string } {
  if (json !== undefined) return { body: JSON.stringify(json), contentType: 'application/json' }
  if (form) return { body: encodeParams(form), contentType: 'application/x-www-form-urlencoded' }
  if (ndjson)
    return { body: ndjson.map((value) => `${JSON.stringify(value)}\n`).join(''), contentType: 'application/x-ndjson' }
  if (xml)
    return {
      body: `<?xml version="1.0" encoding="UTF-8"?>${xmlBuilder.build(xml)}`,
      contentType: 'application/xml',
    }
  return text === undefined ? {} : { body: text, contentType: 'text/plain' }
}
