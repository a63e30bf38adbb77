import XmlBuilder from 'fast-xml-builder'
import type { RequestParams, RequestSpec } from '#provider/form/request.ts'
import { formEncode } from './formEncode.ts'

/** The characters that XML 1.0 does not allow, not even as references. */
const invalidInXml = /[^\t\n\r\x20-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu
/** Characters that are valid in any XML text. Nearly all texts contain no others. */
const validAscii = /^[\t\n\r\x20-\x7e]*$/
const xmlText = (value: unknown) =>
  typeof value !== 'string' || validAscii.test(value) ? value : value.toWellFormed().replace(invalidInXml, '')

/** Called for invalid names only. */
const xmlName = (name: string) => name.replace(/[^\w.-]/g, '_').replace(/^(?![A-Za-z_])/, '_')

const xmlEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&apos;',
  '"': '&quot;',
}
const xmlOptions = {
  // One search for all characters; the library's default is one search for each. The library's types omit the option.
  entities: [{ regex: /[&<>'"]/g, val: (character: string) => xmlEscapes[character] }],
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  suppressBooleanAttributes: false,
  tagValueProcessor: (_: string, value: unknown) => xmlText(value),
  attributeValueProcessor: (_: string, value: unknown) => xmlText(value),
  sanitizeName: xmlName,
}
const xmlBuilder = new XmlBuilder(xmlOptions)

/** Encodes a query or a form: `a=1&b=%3F`. Undefined fields are omitted. */
export function encodeParams(params: RequestParams): string {
  const pairs: string[] = []
  for (const key in params)
    if (params[key] !== undefined) pairs.push(`${formEncode(key)}=${formEncode(String(params[key]))}`)
  return pairs.join('&')
}

/** The body as text, and its content type. Empty if the request has no body. */
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
