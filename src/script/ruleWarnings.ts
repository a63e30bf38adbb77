import type { ChannelRulesWrite } from '#contract/rule/channelRules.ts'
import { vendorEventName } from '#provider/engine/vendorEventName.ts'
import type { Provider } from '#provider/form/provider.ts'
import { neverTrueField } from '#rule/neverTrue.ts'

/** Warns about valid rules that are probably a mistake, because they let no delivery through. */
export function ruleWarnings({ filter, rename }: ChannelRulesWrite, provider: Provider): string[] {
  const never = filter ? neverTrueField(filter) : undefined
  const unknown = Object.values(rename ?? {}).filter(
    (name) => name !== null && vendorEventName(provider, name) === undefined,
  )
  return [
    ...(never === undefined ? [] : [`filter: no event can match the conditions on ${never.slice(0, 100)}`]),
    ...[...new Set(unknown)]
      .slice(0, 10)
      .map((name) => `rename: ${JSON.stringify(name?.slice(0, 60))} is not an event that ${provider.label} accepts`),
  ]
}
