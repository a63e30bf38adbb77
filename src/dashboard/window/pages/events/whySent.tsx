import type { ConsentProof } from '#contract/consentProof.ts'
import type { Journey } from '#contract/journey.ts'
import { whySent } from '#dashboard/explain/whySent.ts'
import { whySentWords as words } from '#dashboard/words/en/whySent.ts'
import { zone } from '../../data/signal.ts'
import { useChannelName } from '../../data/tag.tsx'
import { Facts } from '../../parts/code.tsx'
import { Panel } from '../../parts/panel.tsx'

/** When, through what and on which banner the visitor answered, with the consent strings. */
export function Proof({ of }: { of: ConsentProof }) {
  const { at, source, banner, version, textVersion } = of
  const strings = (['tcf', 'addtlConsent', 'gpp'] as const).map((name) => {
    const hash = of[`${name}Sha256`]
    const text = of[name] ?? (hash === undefined ? undefined : `SHA-256 ${hash}`)
    return text !== undefined && ([words[name], <code key={name}>{text}</code>] as const)
  })
  return (
    <>
      <p>{words.answered(at, zone.value.value)}</p>
      <Facts
        of={[
          [words.source, words.sources[source]],
          banner !== undefined && [words.banner, banner],
          version !== undefined && [words.bannerVersion, version],
          textVersion !== undefined && [words.textVersion, textVersion],
          ...strings,
        ]}
      />
    </>
  )
}

function absentProof({ consent, redacted }: Journey): string {
  if (redacted) return words.redacted
  if (consent?.source === 'disabled') return words.notAsked
  return consent?.source === 'none' ? words.noAnswer : words.noProof
}

/** For each channel: the consent it needs, the visitor's answer, and the rule that allowed or refused the event. */
export function WhySent({ tagId, journey }: { tagId: string; journey: Journey }) {
  const nameOf = useChannelName(tagId)
  const { consentProof, consentWarnings = [], deliveries } = journey
  const checked = deliveries.flatMap(({ scriptId, consentCheck }) => (consentCheck ? { scriptId, consentCheck } : []))
  if (checked.length === 0) return null
  return (
    <Panel title={words.title}>
      {consentProof ? <Proof of={consentProof} /> : <p class="soft">{absentProof(journey)}</p>}
      {consentWarnings.map((warning) => (
        <p key={warning}>{words.warnings[warning]}</p>
      ))}
      <ul class="stack">
        {checked.map(({ scriptId, consentCheck }) => (
          <li key={scriptId}>
            <b>{nameOf(scriptId)}</b>
            <p>{whySent(consentCheck).join(' ')}</p>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
