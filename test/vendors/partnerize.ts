import { simpleVendor } from './simpleVendor.ts'
import { unless } from './vendor.ts'

const orderForms: Readonly<Record<string, RegExp>> = {
  tracking_mode: /^api$/,
  campaign: /^[A-Za-z0-9]+$/,
  clickref: /./,
  conversionref: /./,
  currency: /^[A-Z]{3}$/,
  country: /^[A-Z]{2}$/,
  customertype: /^(new|existing)$/,
  voucher: /./,
  custref: /^[^@]+$/,
  conversion_time: /^(\d{10}|\d{13})$/,
}
const itemForms: Readonly<Record<string, RegExp>> = {
  category: /./,
  sku: /./,
  value: /^-?\d+(\.\d+)?$/,
  quantity: /^\d+(\.\d+)?$/,
}

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** The fields of `name:value/name:value`. */
const fieldsOf = (text: string) =>
  text.split('/').flatMap((segment): [string, string][] => {
    const [name = '', ...values] = segment.split(':')
    return segment ? [[name, values.length === 1 ? decoded(values[0]!) : '']] : []
  })

const formProblems = (text: string, forms: Readonly<Record<string, RegExp>>) =>
  fieldsOf(text).flatMap(([name, value]) => unless(forms[name]?.test(value) === true, `${name} is malformed.`))

function problemsOf(path: string): string[] {
  const [order = '', ...groups] = path.slice('/conversion/'.length).split('[')
  const fields = Object.fromEntries(fieldsOf(order))
  const isWhole = (group: string) => {
    const { category, quantity } = Object.fromEntries(fieldsOf(group.slice(0, -1)))
    return group.endsWith(']') && category && quantity
  }
  return [
    ...unless(Boolean(fields.campaign && fields.conversionref), 'campaign and conversionref are required.'),
    ...unless(Boolean(fields.clickref || fields.voucher), 'clickref or voucher is required.'),
    ...formProblems(order, orderForms),
    ...groups.flatMap((group) => formProblems(group.slice(0, -1), itemForms)),
    ...unless(groups.length > 0 && groups.every(isWhole), 'An item needs category and quantity.'),
  ]
}

/** https://help.phgsupport.com/hc/en-us/articles/360020395238: all parameters are in the path. */
export const partnerize = simpleVendor({
  hosts: /^prf\.hn$/,
  method: 'GET',
  path: /^\/conversion\/.+$/,
  also: ({ path }) => problemsOf(path),
  badPayload: (says) => ({ status: 400, text: says }),
  isAllInPath: true,
  visit: { query: { clickref: '1011lA2b3C' } },
})
