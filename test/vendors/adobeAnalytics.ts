import { simpleVendor } from './simpleVendor.ts'
import { unless } from './vendor.ts'

const names =
  'scXmlVer reportSuiteID marketingCloudVisitorID marketingCloudOrgId fallbackVisitorId visitorID ipAddress userAgent ' +
  'pageURL pageName referrer linkType linkName linkURL events products purchaseID transactionID currencyCode campaign timestamp'
const known = new Set(names.split(' '))

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
const decoded = (text: string) => text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name]!)

/** The members of `<request>`, flat; undefined for any other text. */
function membersOf(body: string): Record<string, string> | undefined {
  const start = '<?xml version="1.0" encoding="UTF-8"?><request>'
  const end = '</request>'
  if (!body.startsWith(start) || !body.endsWith(end)) return undefined
  const members: Record<string, string> = {}
  let rest = body.slice(start.length, -end.length)
  while (rest) {
    const [, name = ''] = /^<(\w+)>/.exec(rest) ?? []
    const close = rest.indexOf(`</${name}>`)
    if (!name || close < 0) return undefined
    members[name] = decoded(rest.slice(name.length + 2, close))
    rest = rest.slice(close + name.length + 3)
  }
  return members
}

function problemsOf(body: string): string[] {
  const members = membersOf(body)
  if (!members) return ['Syntax Error']
  const has = (...of: string[]) => of.every((name) => members[name])
  const isOrder = members.events === 'purchase'
  const product = isOrder ? /^[^;]*;[^;]*;\d+;(-?\d+(\.\d+)?)?$/ : /^[^;]*;[^;]*$/
  return [
    ...Object.keys(members).flatMap((name) => unless(known.has(name), `${name} is not known`)),
    ...unless(has('reportSuiteID'), 'NO account'),
    ...unless(has('pageURL') || has('pageName') || has('linkType', 'linkName'), 'NO pagename OR pageurl'),
    ...unless(
      has('marketingCloudVisitorID', 'marketingCloudOrgId') ||
        has('fallbackVisitorId') ||
        has('visitorID') ||
        has('ipAddress', 'userAgent'),
      'NO visitorid OR ipaddress',
    ),
    ...unless(/^(\d{38})?$/.test(members.marketingCloudVisitorID ?? ''), 'The ECID has 38 digits'),
    ...unless(/^([A-Z]{3})?$/.test(members.currencyCode ?? ''), 'currencyCode is no currency'),
    ...unless(/^(\d{10})?$/.test(members.timestamp ?? ''), 'timestamp has no milliseconds'),
    ...unless(Buffer.byteLength(members.purchaseID ?? '') <= 20, 'purchaseID has more than 20 bytes'),
    ...(members.products?.split(',') ?? []).flatMap((each) => unless(product.test(each), 'products is malformed')),
  ]
}

const answer = (status: string, reason = '') => ({
  status: 200,
  headers: { 'content-type': 'application/xml' },
  text: `<?xml version="1.0" encoding="UTF-8"?><status>${status}</status>${reason && `<reason>${reason}</reason>`}`,
})

/** https://developer.adobe.com/analytics-apis/docs/1.4/guides/data-insertion/: a refusal has the status 200. */
export const adobeAnalytics = simpleVendor({
  hosts: /^shop\.sc\.omtrdc\.net$/,
  path: /^\/b\/ss\/\/6$/,
  headers: { 'content-type': /^application\/xml/ },
  also: ({ body }) => problemsOf(body),
  good: answer('SUCCESS'),
  badPayload: (says) => answer('FAILURE', says),
})
