import type { ProviderId } from '#contract/providerIds.ts'
import { consentCategories } from '#contract/script.ts'
import { decideConsent } from './consent.ts'
import type { GivenConsent, StatedConsent } from './statedConsent.ts'
import type { ReadGpp, ReadTcf } from './text/textConsent.ts'

/** One vendor per kind: on the Global Vendor List, with only an id of Google's additional consent, and with neither. */
export const vendorKinds = { listed: 'criteo', additional: 'facebook', other: 'klaviyo' } as const satisfies Record<
  string,
  ProviderId
>
type VendorKind = keyof typeof vendorKinds

/** `limited`: the tag sends for limited use to vendors that support it. */
type Signal = { says: string; stated: StatedConsent; gpc?: true; disabled?: true; limited?: true }
type DecisionRow = {
  says: string
  cells: readonly string[]
  sharePii: string
  adUserData: string
  adPersonalization: string
}

const at = 0
const answer = (given: GivenConsent): StatedConsent => ({ consent: { at, ...given } })
const categories = (map: Record<string, boolean>) => answer({ consentCategories: map })

const all: ReadTcf = {
  ...{ lastUpdated: 0, cmpId: 1, listVersion: 45, policyVersion: 5, isServiceSpecific: true },
  purposes: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  ...{ interests: [], vendors: [91], vendorInterests: [], disclosed: [91], restrictions: [], consented: [89] },
}
const tcf = (more: Partial<ReadTcf> | 'unreadable') =>
  answer({ texts: { tcf: more === 'unreadable' ? more : { ...all, ...more } } })
const without = (...ids: number[]) => all.purposes.filter((id) => !ids.includes(id))
const agreed = { all: true }
/** The answer `all: true` with a GPP string. */
const gpp = (more: Partial<ReadGpp> | 'unreadable') =>
  answer({ consentCategories: agreed, texts: { gpp: more === 'unreadable' ? more : { sections: [8], ...more } } })
const gppAlone: GivenConsent = {
  texts: { gpp: { sections: [8], advertising: 'usca.SaleOptOut', sharePii: 'usca.SaleOptOut' } },
}

/** Each consent signal, alone or beside an answer that agrees to everything. */
const signals: readonly Signal[] = [
  { says: 'nothing', stated: {} },
  { says: 'nothing, on a tag with `consent: disabled`', stated: {}, disabled: true },
  { says: '`consentState: unanswered`', stated: { isUnanswered: true } },
  { says: '`all: true`', stated: categories(agreed) },
  { says: '`all: true`, granted by default', stated: { byDefault: { at, consentCategories: agreed } } },
  { says: '`all: false`', stated: categories({ all: false }) },
  { says: '`advertising: false`', stated: categories({ ...agreed, advertising: false }) },
  { says: '`share_pii: false`', stated: categories({ ...agreed, share_pii: false }) },
  { says: '`ad_personalization: false`', stated: categories({ ...agreed, ad_personalization: false }) },
  { says: '`Sec-GPC`, on a tag with `gpc`', stated: categories(agreed), gpc: true },
  { says: 'TCF: everything', stated: tcf({}) },
  { says: 'TCF: nothing', stated: tcf({ purposes: [], vendors: [], consented: [] }) },
  { says: 'TCF: without purpose 1', stated: tcf({ purposes: without(1) }) },
  { says: 'TCF: without purposes 3 and 4', stated: tcf({ purposes: without(3, 4) }) },
  {
    says: 'TCF: without purpose 7, with its legitimate interest',
    stated: tcf({ purposes: without(7), interests: [7] }),
  },
  { says: 'TCF: without purposes 8 and 9', stated: tcf({ purposes: without(8, 9) }) },
  { says: 'TCF: vendor not disclosed', stated: tcf({ disclosed: [] }) },
  { says: 'TCF: vendor refused', stated: tcf({ vendors: [] }) },
  { says: 'TCF: no additional consent', stated: tcf({ consented: [] }) },
  { says: 'TCF: unreadable', stated: tcf('unreadable') },
  { says: 'GPP: no objection', stated: gpp({}) },
  { says: 'GPP: opt-out of sale, or a child', stated: gpp({ advertising: 'x', sharePii: 'x' }) },
  { says: 'GPP: opt-out of sharing or of targeted advertising', stated: gpp({ advertising: 'x' }) },
  {
    says: 'GPP: opt-out of sale and nothing else, with `saleOptOut: limitedUse`, to a vendor that has a limited use',
    ...{ stated: gpp({ advertising: 'x', sharePii: 'x', saleAlone: true }), limited: true },
  },
  { says: 'GPP: sensitive data', stated: gpp({ sharePii: 'x' }) },
  { says: 'GPP: `Gpc`, on a tag with `gpc`', stated: gpp({ gpc: true }), gpc: true },
  { says: 'GPP: unreadable', stated: gpp('unreadable') },
  { says: 'GPP: opt-out of sale, alone', stated: answer(gppAlone) },
  { says: 'GPP: opt-out of sale, on a tag with `consent: disabled`', stated: answer(gppAlone), disabled: true },
  { says: 'GPP: Canada without purpose 4', stated: gpp({ canada: { ...all, purposes: without(4), law: 'canada' } }) },
]

const cell = (allowed: readonly string[]) =>
  allowed.length === 0 ? 'no' : allowed.length === Object.keys(vendorKinds).length ? 'yes' : allowed.join(', ')

/**
 * The effect of each signal: per category the kinds of vendors that get the event, and the signals that vendors get.
 */
export const decisionTable = (): DecisionRow[] =>
  signals.map(({ says, stated, gpc, disabled, limited }) => {
    const context = { trusted: false, hasExplicitUserId: true, ...(gpc && { gpc }) }
    const tag = {
      consent: disabled ? ('disabled' as const) : ('enabled' as const),
      gpc: gpc === true,
      ...(limited && { saleOptOut: 'limitedUse' as const }),
    }
    const consent = decideConsent({ stated, context, tag })
    const kinds = Object.keys(vendorKinds) as VendorKind[]
    const { sharePii, signals: given } = consent.limited ?? consent
    const { adUserData, adPersonalization } = given
    return {
      says,
      cells: consentCategories.map((category) =>
        cell(kinds.filter((kind) => consent.allows({ providerId: vendorKinds[kind], name: '' }, category, limited))),
      ),
      sharePii: sharePii ? 'yes' : 'no',
      ...{ adUserData, adPersonalization },
    }
  })

/** The table in Markdown, for a page. */
export function decisionMarkdown(): string {
  const head = ['signal', ...consentCategories, 'identifying values', '`ad_user_data`', '`ad_personalization`']
  const rows = decisionTable().map(({ says, cells, sharePii, adUserData, adPersonalization }) => [
    says,
    ...cells,
    sharePii,
    adUserData,
    adPersonalization,
  ])
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
