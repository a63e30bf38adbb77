import { readNumber, type SettingRow } from './settingRow.ts'

/** What one team may use of a server. The operator sets it for all teams alike; each environment counts for itself. */
export type TeamLimits = {
  /** events a second that a team may send without end; `teamEventBurst`: so many at once after a pause */
  teamEventRate: number
  teamEventBurst: number
  /** the same for one tag */
  tagEventRate: number
  tagEventBurst: number
  tagsPerTeam: number
  scriptsPerTag: number
  hooksPerTeam: number
  applicationsPerTeam: number
  /** streams of deliveries that are open at once */
  streamsPerTeam: number
  /** replays that have not ended */
  replaysPerTeam: number
  /** statistics and searches of the journal that run or wait at once */
  queriesPerTeam: number
  /** seconds after which a statistic or a search is ended */
  querySeconds: number
  /** access tokens that an application may be issued in a minute */
  tokenRate: number
}

export const usualTeamLimits: TeamLimits = {
  teamEventRate: 2_000,
  teamEventBurst: 10_000,
  tagEventRate: 2_000,
  tagEventBurst: 10_000,
  tagsPerTeam: 1_000,
  scriptsPerTag: 200,
  hooksPerTeam: 10,
  applicationsPerTeam: 100,
  streamsPerTeam: 10,
  replaysPerTeam: 20,
  queriesPerTeam: 16,
  querySeconds: 10,
  tokenRate: 300,
}

const most = 9_999_999

/** A number whose default stands behind its help. */
const limit = (name: keyof TeamLimits, help: string, to = most) => ({
  takes: `a number from 1 to ${to}`,
  help: `${help} (${usualTeamLimits[name]})`,
  read: (text: string) => readNumber(text, 1, to),
})

/** The settings of the limits, in the order of the help text. */
export const teamLimitRows = {
  teamEventRate: limit('teamEventRate', 'events a second that a team may send'),
  teamEventBurst: limit('teamEventBurst', 'events that a team may send at once after a pause'),
  tagEventRate: limit('tagEventRate', 'events a second that may be sent to a tag'),
  tagEventBurst: limit('tagEventBurst', 'events that may be sent to a tag at once after a pause'),
  tagsPerTeam: limit('tagsPerTeam', 'tags of a team'),
  scriptsPerTag: limit('scriptsPerTag', 'scripts of a tag', 10_000),
  hooksPerTeam: limit('hooksPerTeam', 'hooks of a team', 200),
  applicationsPerTeam: limit('applicationsPerTeam', 'OAuth applications of a team'),
  streamsPerTeam: limit('streamsPerTeam', 'live streams that a team may have open'),
  replaysPerTeam: limit('replaysPerTeam', 'replays of a team that have not ended'),
  queriesPerTeam: limit('queriesPerTeam', 'statistics and searches of a team at once'),
  querySeconds: limit('querySeconds', 'seconds after which a statistic or a search is ended', 600),
  tokenRate: limit('tokenRate', 'access tokens that an application may be issued in a minute'),
} as const satisfies Record<keyof TeamLimits, SettingRow>
