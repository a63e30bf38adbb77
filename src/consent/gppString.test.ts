import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { consentCategories } from '#contract/script.ts'
import { cases } from '../../test/fake/cases.ts'
import { allowsCase, type ConsentCase, readCase } from './consent.fixture.ts'
import { mergeConsent } from './consent.ts'
import { consentStateOf } from './consentState.ts'
import {
  encodeGpp as encode,
  type GppFields as Fields,
  fieldValue,
  GppModel,
  type GppTestModel as Model,
  gppSectionFields as sectionFields,
  gppSections as sections,
} from './gppString.fixture.ts'
import { UnreadableText } from './text/bitReader.ts'
import { decodeCanadaString } from './text/canadaString.ts'
import { readConsentTexts } from './text/consentTexts.ts'
import { decodeGppString } from './text/gppString.ts'

describe('a GPP string', () => {
  test('of US sections is read as IAB’s own decoder reads it', () => {
    fc.assert(
      fc.property(sections, (given) => {
        const { text, model } = encode(given)
        const has = (name: string, fields: readonly string[]) =>
          fields.some((field) => [fieldValue(model, name, field)].flat().includes(1))
        const both = ['SaleOptOut', 'KnownChildSensitiveDataConsents']
        const found = decodeGppString(text)
        const all = given.map(([name]) => name)
        const advertising = all.some((name) => has(name, [...both, 'SharingOptOut', 'TargetedAdvertisingOptOut']))
        const sharePii = all.some((name) => has(name, [...both, 'SensitiveDataProcessing']))
        assert.equal(found.advertising !== undefined, advertising, text)
        assert.equal(found.sharePii !== undefined, sharePii, text)
        const more = ['SharingOptOut', 'TargetedAdvertisingOptOut', 'SensitiveDataProcessing', both[1]!]
        const saleAlone = all.some((name) => has(name, ['SaleOptOut'])) && !all.some((name) => has(name, more))
        assert.equal(found.saleAlone === true, saleAlone, text)
        assert.equal(
          found.gpc === true,
          all.some((name) => fieldValue(model, name, 'Gpc') === true),
          text,
        )
        assert.deepEqual(found.sections, model.getSectionIds())
      }),
      { numRuns: cases(1_000) },
    )
  })

  test('names the field that objects, only of sections that apply', () => {
    const { text } = encode([
      ['usca', { SaleOptOut: 1 }],
      ['usva', { TargetedAdvertisingOptOut: 1 }],
    ])
    assert.deepEqual(decodeGppString(text), {
      sections: [8, 9],
      advertising: 'usca.SaleOptOut',
      sharePii: 'usca.SaleOptOut',
    })
    assert.deepEqual(decodeGppString(text, [9]), { sections: [9], advertising: 'usva.TargetedAdvertisingOptOut' })
    assert.deepEqual(decodeGppString(text, [7]), { sections: [] })
  })

  test('of the specification has a TC string and a US privacy string', () => {
    const text = 'DBACNY~CPXxRfAPXxRfAAfKABENB-CgAAAAAAAAAAYgAAAAAAAA~1YNN'
    const tcf = 'CPXxRfAPXxRfAAfKABENB-CgAAAAAAAAAAYgAAAAAAAA'
    assert.deepEqual(decodeGppString(text), { sections: [2, 6], tcf })
    const [advertising, sharePii] = ['uspv1.OptOutSale', 'uspv1.OptOutSale']
    const optedOut = { sections: [6], advertising, sharePii, saleAlone: true }
    assert.deepEqual(decodeGppString(text.replace('1YNN', '1YYN'), [6]), optedOut)
  })

  test('that does not follow the specification is unreadable, in linear time', () => {
    const { text } = encode([['usca', { SaleOptOut: 2 }]])
    const [header, body] = text.split('~') as [string, string]
    const wrong = [
      ...['', 'D', 'DB', header, `${text}~${body}`, `${body}~${header}`, `C${text.slice(1)}`, `${text}=`],
      ...[`${header}~B`, `${header}~B${'_'.repeat(20)}`, `DBAC${'A'.repeat(7_900)}`, `D${'B'.repeat(7_900)}`],
      ...['DBACNY~a~1XNN', `DB_${'_'.repeat(7_900)}`, '~'.repeat(1_000_000), 'D'.repeat(1_000_000)],
    ]
    const from = performance.now()
    for (const each of wrong) assert.throws(() => decodeGppString(each), UnreadableText, each.slice(0, 30))
    assert.ok(performance.now() - from < 500)
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), (noise) => {
        try {
          decodeGppString(`${header}~${noise}`)
        } catch (error) {
          assert.ok(error instanceof UnreadableText)
        }
      }),
    )
  })
})

describe('the section of Canada', () => {
  const ids = [21, 42, 91, 755]
  const subset = (from: readonly number[]) => fc.subarray([...from])
  const purposes = fc.array(fc.boolean(), { minLength: 24, maxLength: 24 })
  const vendors = fc.oneof(subset([1, 2, 3, ...ids, 1_200]), subset([...ids]))
  const choice = fc.record({
    express: purposes,
    implied: purposes,
    vendors,
    impliedVendors: vendors,
    disclosed: vendors,
  })
  const restriction = fc.record({ key: fc.constantFrom(1, 3, 4, 7), type: fc.constantFrom(0, 1, 2), ids: vendors })
  const restrictions = fc.uniqueArray(restriction, { maxLength: 3, selector: ({ key }) => key })
  const sectionOf = (given: Record<string, unknown>) => {
    const model: Model = new GppModel()
    for (const [field, value] of Object.entries(given)) model.setFieldValue('tcfcav1', field, value)
    return model.encode()
  }
  const numbers = (bits: boolean[]) => bits.flatMap((bit, n) => (bit ? [n + 1] : []))

  test('has consent where it is express or implied, of the vendors that IAB’s own code says', () => {
    fc.assert(
      fc.property(choice, restrictions, (given, restricted) => {
        const text = sectionOf({
          PurposesExpressConsent: given.express,
          PurposesImpliedConsent: given.implied,
          VendorExpressConsent: given.vendors,
          VendorImpliedConsent: given.impliedVendors,
          PubRestrictions: restricted.flatMap(({ key, type, ids: some }) =>
            some.length > 0 ? [{ getKey: () => key, getType: () => type, getIds: () => some }] : [],
          ),
          DisclosedVendors: given.disclosed,
        })
        const { canada } = decodeGppString(text)
        const read = decodeCanadaString(canada!, ids)
        const either = [...new Set([...numbers(given.express), ...numbers(given.implied)])].sort((a, b) => a - b)
        assert.deepEqual(read.purposes, either)
        const has = (id: number) => given.vendors.includes(id) || given.impliedVendors.includes(id)
        assert.deepEqual(read.vendors, ids.filter(has))
        const disclosed = given.disclosed.length > 0 ? ids.filter((id) => given.disclosed.includes(id)) : undefined
        assert.deepEqual(read.disclosed, disclosed)
        for (const { key, type, ids: some } of restricted) {
          const bits = type === 1 ? given.express : given.implied
          const isMet = type !== 0 && bits[key - 1] === true
          const forbidden = read.restrictions.filter(({ purpose }) => purpose === key).flatMap((each) => each.vendors)
          assert.deepEqual(forbidden, isMet ? [] : ids.filter((id) => some.includes(id)))
        }
      }),
      { numRuns: cases(300) },
    )
  })

  test('is an answer: it grants, refuses by purpose and vendor, and refuses all but the necessary where it is unreadable', () => {
    const all = Array.from({ length: 24 }, () => true)
    const granted = { PurposesExpressConsent: all, VendorExpressConsent: [91], CmpId: 5 }
    const allowed = (given: object | string, more: object = {}) => {
      const gpp = typeof given === 'string' ? given : sectionOf({ ...granted, ...given })
      const consent = readCase({ receivedAt: Date.now(), consentTexts: { gpp }, ...more } as ConsentCase)
      return consentCategories.filter((each) => consent.allows({ providerId: 'criteo', name: 'x' }, each)).join(' ')
    }
    const every = consentCategories.join(' ')
    assert.equal(allowed({}), every)
    assert.equal(allowed({ VendorExpressConsent: [92] }), 'necessary')
    assert.equal(allowed({ VendorExpressConsent: [], VendorImpliedConsent: [91] }), every)
    assert.equal(
      allowed({ PurposesExpressConsent: all.map((_, n) => n !== 3) }),
      'functional analytics necessary'
        .split(' ')
        .sort((a, b) => every.indexOf(a) - every.indexOf(b))
        .join(' '),
    )
    const text = sectionOf(granted)
    const [header, section = ''] = text.split('~')
    assert.equal(allowed(`${header}~${section.slice(0, 40)}`), 'necessary')
    assert.equal(allowed({ VendorExpressConsent: [92] }, { consentCategories: { all: true } }), 'necessary')
  })
})

describe('the decision by a GPP string', () => {
  const agreed = { consentCategories: { all: true, share_pii: true } }
  const read = (gpp: unknown, more: object = {}) => {
    const { tag, ...texts } = more as { tag?: object }
    return readCase({ ...agreed, consentTexts: { gpp, ...texts }, ...(tag && { tag }) } as ConsentCase)
  }
  const decision = (gpp: unknown, more: object = {}) => {
    const consent = read(gpp, more)
    const allowed = consentCategories.filter((category) =>
      consent.allows({ providerId: 'klaviyo', name: 'x' }, category),
    )
    return [allowed.join(' '), consent.sharePii, consent.signals.advertising]
  }
  const all = consentCategories.join(' ')
  const withoutAdvertising = consentCategories.filter((category) => category !== 'advertising').join(' ')
  const us = (text: string) => readConsentTexts({ gpp: text }, 5)!.gpp!
  const usca = (fields: Fields) => encode([['usca', fields]]).text

  test('refuses advertising, or what identifies the person, by the field', () => {
    assert.deepEqual(decision(usca({ SaleOptOut: 2, SharingOptOut: 0 })), [all, true, 'granted'])
    assert.deepEqual(decision(usca({ SharingOptOut: 1 })), [withoutAdvertising, true, 'denied'])
    assert.deepEqual(decision(usca({ SaleOptOut: 1 })), [withoutAdvertising, false, 'denied'])
    const sensitive = [0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert.deepEqual(decision(usca({ SensitiveDataProcessing: sensitive })), [all, false, 'granted'])
    assert.deepEqual(decision(usca({ KnownChildSensitiveDataConsents: [0, 1] })), [withoutAdvertising, false, 'denied'])
  })

  test('sends for limited use where it objects to sale alone and the tag is set so, to vendors that have one', () => {
    const limited = (gpp: string, tag: object = {}) => {
      const { allows, limited } = read(gpp, { tag: { saleOptOut: 'limitedUse', ...tag } })
      const by = (limitsUse: boolean) => allows({ providerId: 'facebook', name: 'x' }, 'advertising', limitsUse)
      return [by(true), by(false), limited?.sharePii, limited?.signals.advertising, limited?.signals.sharePii]
    }
    const sale = usca({ SaleOptOut: 1 })
    assert.deepEqual(limited(sale), [true, false, true, 'denied', 'granted'])
    assert.deepEqual(decision(sale, { tag: { saleOptOut: 'limitedUse' } }), decision(sale))
    assert.deepEqual(limited(sale, { saleOptOut: 'refuse' }), [false, false, undefined, undefined, undefined])
    assert.deepEqual(limited(sale, { gpc: true }).slice(0, 3), [true, false, true])
    const withGpc = usca({ SaleOptOut: 1, Gpc: true })
    assert.deepEqual(limited(withGpc, { gpc: true }).slice(0, 3), [false, false, false])
    const sensitive = [0, 0, 1, 0, 0, 0, 0, 0, 0]
    for (const more of [
      { SharingOptOut: 1 },
      { SensitiveDataProcessing: sensitive },
      { KnownChildSensitiveDataConsents: [0, 1] },
    ])
      assert.equal(limited(usca({ SaleOptOut: 1, ...more }))[0], false)
  })

  test('heeds the GPC segment on a tag that heeds the header', () => {
    const gpc = usca({ Gpc: true })
    assert.deepEqual(decision(gpc), [all, true, 'granted'])
    assert.deepEqual(decision(gpc, { tag: { gpc: true } }), [withoutAdvertising, false, 'denied'])
  })

  test('counts only sections that apply, and none says nothing', () => {
    const optedOut = usca({ SaleOptOut: 1 })
    assert.deepEqual(decision(optedOut, { gppSections: [8] }), [withoutAdvertising, false, 'denied'])
    for (const gppSections of [[-1], [], [7], ['8']])
      assert.deepEqual(decision(optedOut, { gppSections }), [all, true, 'granted'])
  })

  test('is a refusal of all but the necessary if the string is unreadable, and never no answer', () => {
    for (const wrong of ['', 'DBA', 7, {}, 'x'.repeat(9_000), usca({}).slice(0, -4)]) {
      assert.deepEqual(decision(wrong), ['necessary', false, 'denied'])
      assert.equal(consentStateOf(read(wrong).trace), 'refused')
    }
  })

  test('is no answer: a string without an objection grants nothing where the tag needs an answer', () => {
    const { text } = encode([['usca', { SaleOptOut: 2, SharingOptOut: 2 }]])
    const alone = (more: object = {}) => readCase({ consentTexts: { gpp: text }, ...more } as ConsentCase)
    assert.equal(alone().trace.source, 'none')
    assert.equal(consentStateOf(alone().trace), 'unanswered')
    for (const category of consentCategories)
      assert.equal(alone().allows({ providerId: 'criteo', name: 'x' }, category), false)
    const joined = [{ at: 1, texts: { gpp: us(text) } }]
    for (const others of [{ joined }, { claimed: joined }])
      assert.equal(readCase({ ...others, hasExplicitUserId: false } as ConsentCase).trace.source, 'none')
  })

  test('restricts the stored answer of the visitor, and replaces no part of it', () => {
    const own = { at: 1, consent: { all: true, criteo: false } }
    const objection = { at: 5, texts: { gpp: us(usca({ SaleOptOut: 1 })) } }
    const none = { at: 6, texts: { gpp: us(usca({ SaleOptOut: 2 })) } }
    const allows = (given: ConsentCase, providerId: 'criteo' | 'klaviyo', category: 'advertising' | 'analytics') =>
      readCase(given).allows({ providerId, name: 'x' }, category)
    const event = { own, consentTexts: { gpp: usca({ SaleOptOut: 1 }) } } as ConsentCase
    assert.equal(readCase(event).trace.source, 'stored')
    assert.deepEqual(
      [
        allows(event, 'klaviyo', 'advertising'),
        allows(event, 'klaviyo', 'analytics'),
        allows(event, 'criteo', 'analytics'),
      ],
      [false, true, false],
    )
    const later = mergeConsent(own, objection)!
    assert.deepEqual(later, { ...own, at: 5, texts: objection.texts })
    assert.equal(allows({ own: later }, 'klaviyo', 'advertising'), false)
    assert.equal(allows({ own: mergeConsent(later, none)! }, 'klaviyo', 'advertising'), true)
    assert.deepEqual(mergeConsent(undefined, none), none)
    assert.equal(readCase({ own: none }).trace.source, 'none')
    const unreadable = { at: 2, texts: { gpp: 'unreadable' as const } }
    assert.equal(mergeConsent(unreadable, none)!.texts!.gpp, 'unreadable')
  })

  test('restricts a tag that needs no consent, in the event and as stored', () => {
    const disabled = { tag: { consent: 'disabled' as const } }
    const gpp = usca({ SaleOptOut: 1 })
    const stored = { at: 1, texts: { gpp: us(gpp) }, consent: { all: false } }
    for (const given of [{ consentTexts: { gpp } }, { own: stored }] as ConsentCase[]) {
      const consent = readCase({ ...given, ...disabled })
      assert.deepEqual(
        consentCategories.filter((each) => consent.allows({ providerId: 'criteo', name: 'x' }, each)).join(' '),
        withoutAdvertising,
      )
      assert.deepEqual([consent.sharePii, consent.trace.source], [false, 'disabled'])
    }
    assert.equal(readCase({ consentTexts: { gpp: usca({}) }, ...disabled } as ConsentCase).sharePii, true)
    assert.equal(allowsCase({ consentTexts: { gpp: 'x' }, ...disabled } as ConsentCase, 'analytics'), false)
  })

  test('never adds a delivery that the maps, or another section, refuse', () => {
    const map = fc.dictionary(fc.constantFrom('all', ...consentCategories, 'share_pii'), fc.boolean())
    fc.assert(
      fc.property(sections, sectionFields, map, (given, [name, fields], consentMap) => {
        const decide = (texts: object, maps: object) => readCase({ ...maps, ...texts, receivedAt: 5 } as ConsentCase)
        const textsOf = (parts: typeof given) => ({ consentTexts: { gpp: encode(parts).text } })
        const more = [...given.filter(([each]) => each !== name), [name, fields] as const] as typeof given
        const maps = { consentCategories: consentMap }
        for (const category of consentCategories) {
          const allows = (texts: object, own: object) =>
            decide(texts, own).allows({ providerId: 'criteo', name: 'x' }, category)
          assert.ok(!allows(textsOf(given), maps) || allows({}, maps))
          const rest = given.filter(([each]) => each !== name)
          if (rest.length > 0) assert.ok(!allows(textsOf(more), maps) || allows(textsOf(rest), maps))
          assert.ok(!decide(textsOf(given), maps).sharePii || decide({}, maps).sharePii)
        }
      }),
      { numRuns: cases(300) },
    )
  })
})
