import { parseNumber, type SettingSpec } from '#settings/settingSpec.ts'

/** The limits of a team. The operator sets the same limits for all teams; each environment counts separately. */
export type TeamLimits = {
  /** Sustained events per second for a team. `teamEventBurst`: events at once after a pause. */
  teamEventRate: number
  teamEventBurst: number
  /** The same limits for one tag. */
  tagEventRate: number
  tagEventBurst: number
  /** The load of the main thread, in percent, above which the teams that send most are limited. 100: no limit. */
  fairShareLoad: number
  tagsPerTeam: number
  scriptsPerTag: number
  hooksPerTeam: number
  applicationsPerTeam: number
  /** Live streams that are open at once, for the team and for one signed-in person. */
  streamsPerTeam: number
  streamsPerPerson: number
  /** Replays that have not ended. */
  replaysPerTeam: number
  /** Statistics and journal searches that run or wait at once. */
  queriesPerTeam: number
  /** Seconds after which a statistic or a search is aborted. */
  querySeconds: number
  /** Access tokens per minute that can be issued to an application. */
  tokenRate: number
}

export const defaultTeamLimits: TeamLimits = {
  teamEventRate: 2_000,
  teamEventBurst: 10_000,
  tagEventRate: 2_000,
  tagEventBurst: 10_000,
  fairShareLoad: 85,
  tagsPerTeam: 1_000,
  scriptsPerTag: 200,
  hooksPerTeam: 10,
  applicationsPerTeam: 100,
  streamsPerTeam: 100,
  streamsPerPerson: 4,
  replaysPerTeam: 20,
  queriesPerTeam: 16,
  querySeconds: 10,
  tokenRate: 300,
}

const maxLimit = 9_999_999

/** The specification of a numeric setting, with the default in its help text. */
const limitSpec = (name: keyof TeamLimits, help: string, to = maxLimit) => ({
  takes: `a number from 1 to ${to}`,
  help: `${help} (${defaultTeamLimits[name]})`,
  read: (text: string) => parseNumber(text, 1, to),
})

/** The settings of the limits, in the order of the help text. */
export const teamLimitSpecs = {
  teamEventRate: limitSpec('teamEventRate', 'events a second that a team may send'),
  teamEventBurst: limitSpec('teamEventBurst', 'burst of events that a team may send'),
  tagEventRate: limitSpec('tagEventRate', 'events a second that may be sent to a tag'),
  tagEventBurst: limitSpec('tagEventBurst', 'burst of events that may be sent to a tag'),
  fairShareLoad: limitSpec(
    'fairShareLoad',
    'load in percent above which the teams that send the most are limited; 100: never',
    100,
  ),
  tagsPerTeam: limitSpec('tagsPerTeam', 'tags of a team'),
  scriptsPerTag: limitSpec('scriptsPerTag', 'scripts of a tag', 10_000),
  hooksPerTeam: limitSpec('hooksPerTeam', 'hooks of a team', 200),
  applicationsPerTeam: limitSpec('applicationsPerTeam', 'OAuth applications of a team'),
  streamsPerTeam: limitSpec('streamsPerTeam', 'live streams that a team may have open'),
  streamsPerPerson: limitSpec('streamsPerPerson', 'live streams that a signed-in person may have open'),
  replaysPerTeam: limitSpec('replaysPerTeam', 'replays of a team that have not ended'),
  queriesPerTeam: limitSpec('queriesPerTeam', 'concurrent statistics and searches of a team'),
  querySeconds: limitSpec('querySeconds', 'seconds after which a statistic or search is stopped', 600),
  tokenRate: limitSpec('tokenRate', 'access tokens that an application may be issued in a minute'),
} as const satisfies Record<keyof TeamLimits, SettingSpec>
