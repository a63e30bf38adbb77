import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { currency, isRecent, text, unless } from './vendor.ts'

const number = Type.String({ pattern: '^-?\\d+(\\.\\d+)?$' })
const isKnownField = /^(tid|ms|cid|t|dl|dr|dt|et|pa|ea|ti|tr|tcc|cu|params|pr\d+(id|nm|pr|qt|ca|br))$/

/** https://yandex.com/dev/metrika/en/data-import/measurement-upload */
export const yandexMetrica = simpleVendor({
  hosts: /^mc\.yandex\.ru$/,
  path: /^\/collect$/,
  key: ({ form }) => form.ms,
  headers: { 'content-type': /^application\/x-www-form-urlencoded/ },
  form: Type.Object({
    tid: Type.String({ pattern: '^\\d+$' }),
    ms: text,
    cid: Type.String({ pattern: '^\\d+$' }),
    t: Type.Enum(['pageview', 'event']),
    et: Type.String({ pattern: '^\\d{10}$' }),
    pa: Type.Optional(Type.Enum(['detail', 'add', 'remove', 'purchase'])),
    ti: Type.Optional(text),
    tr: Type.Optional(number),
    cu: Type.Optional(currency),
  }),
  also: ({ form }, now) => [
    ...Object.keys(form).flatMap((name) => unless(isKnownField.test(name), `The field ${name} is not known.`)),
    ...Object.entries(form).flatMap(([name, value]) =>
      unless(!/^pr\d+(pr|qt)$/.test(name) || Number.isFinite(Number(value)), `${name} is no number.`),
    ),
    ...unless(form.t !== 'pageview' || Boolean(form.dl), 'dl is required for a page view.'),
    ...unless(form.t !== 'event' || Boolean(form.ea ?? form.pa), 'ea is required for an event.'),
    ...unless(form.pa !== 'purchase' || Boolean(form.ti && form.tr), 'ti and tr are required for a purchase.'),
    ...unless(isRecent(Number(form.et), 0.5, now), 'et is more than 12 hours ago.'),
  ],
  good: { status: 200, text: '<!-- OK -->' },
  badKey: (says) => ({ status: 403, text: says }),
  badPayload: (says) => ({ status: 400, text: says }),
  visit: { cookies: { _ym_uid: '1710232430899999999' } },
})
