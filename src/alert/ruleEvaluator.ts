import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import { createLruCache } from '#kit/lruCache.ts'
import type { AlertRuleRecord, IncidentRecord } from '#store/incidents.ts'
import type { AlertFigures, WatchedTag } from './alertFigures.ts'
import { type Breach, findBreaches } from './findBreaches.ts'
import type { IncidentBook } from './incidentBook.ts'
import { changeIncidents, endIncident } from './incidentChanges.ts'
import { contactsOf, liveTags, tagsOfRule, titleOfIncident, type WatchedTeamDeps } from './watchedTeams.ts'

export type RuleDeps = WatchedTeamDeps & { clock: Pick<Clock, 'now'>; log: Log; figures: AlertFigures }

const countEveryMs = 60_000
/** Counting the names of four weeks is slow, so this rule runs less often. */
const namesEveryMs = 3_600_000
const everyMs = ({ settings }: AlertRuleRecord) => (settings.kind === 'newEventName' ? namesEveryMs : countEveryMs)
/** True for rules that read the journal. They run once a minute, or once per period for volume rules. */
const isCounted = ({ settings }: AlertRuleRecord) => !['channelStopped', 'disk'].includes(settings.kind)

type LastEvaluation = { at: number; breaches: Breach[] }

/** True if only the time of the last event changed. */
const isMinorChange = (before: IncidentRecord | undefined, { calmSince, endedAt, messages }: IncidentRecord) =>
  before?.calmSince === calmSince && before?.endedAt === endedAt && before?.messages === messages

const openIncidents = (book: IncidentBook, teamId: string) =>
  Map.groupBy(
    [...book.all()].filter((each) => each.teamId === teamId && each.endedAt === undefined),
    ({ ruleId, tagId }) => `${ruleId} ${tagId}`,
  )

export function createRuleEvaluator(deps: RuleDeps, book: IncidentBook, signal: AbortSignal) {
  const { clock, log } = deps
  const evaluations = createLruCache<string, LastEvaluation>(50_000)

  /** Undefined if the figures cannot be read now: no incident then starts or ends. */
  async function breachesOf(rule: AlertRuleRecord, tag: WatchedTag): Promise<Breach[] | undefined> {
    const now = clock.now()
    const name = JSON.stringify([rule.ruleId, tag.tagId, rule.settings])
    const last = evaluations.get(name)
    if (last && isCounted(rule) && last.at <= now && now < last.at + everyMs(rule)) return last.breaches
    try {
      const named = { ...rule.settings, name: rule.name }
      const breaches = await findBreaches({ rule: named, tag, now, figures: deps.figures })
      evaluations.set(name, { at: now, breaches })
      return breaches
    } catch (error) {
      log({ level: 'warn', message: 'could not evaluate an alert rule', teamId: rule.teamId, error })
      return undefined
    }
  }
  /** Ends incidents whose rule or tag was removed. */
  function endOrphans(teamId: string, rules: readonly AlertRuleRecord[], tags: readonly WatchedTag[]): void {
    for (const incident of book.all()) {
      if (incident.teamId !== teamId || incident.endedAt !== undefined) continue
      const rule = rules.find(({ ruleId }) => ruleId === incident.ruleId)
      const isWatched = rule && tagsOfRule(rule, tags).some(({ tagId }) => tagId === incident.tagId)
      if (!isWatched) book.put(endIncident(incident, clock.now(), rule?.settings.quiet))
    }
  }
  return async function evaluateTeam(teamId: string, rules: readonly AlertRuleRecord[]): Promise<void> {
    const [tags, points] = [await liveTags(teamId, deps), await contactsOf(teamId, deps)]
    const ofTeam = (await deps.store.team(teamId))?.alertsMutedUntil ?? 0
    const lasting = openIncidents(book, teamId)
    for (const rule of rules.toSorted((one, other) => Number(isCounted(one)) - Number(isCounted(other)))) {
      const contacts = points.filter(({ name }) => rule.settings.to.includes(name))
      const mutedUntil = Math.max(ofTeam, rule.settings.mutedUntil ?? 0)
      for (const tag of tagsOfRule(rule, tags)) {
        const breaches = await breachesOf(rule, tag)
        if (!breaches || signal.aborted || !book.isLoaded()) continue
        const open = lasting.get(`${rule.ruleId} ${tag.tagId}`) ?? []
        const titleOf = titleOfIncident(rule, tag, deps)
        const now = clock.now()
        for (const next of changeIncidents({
          rule,
          tag,
          open,
          breaches,
          contacts,
          titleOf,
          now,
          isMuted: mutedUntil > now,
        }))
          book.put(next, isMinorChange(book.get(next.incidentId), next))
      }
    }
    endOrphans(teamId, rules, tags)
    await book.flush()
  }
}
