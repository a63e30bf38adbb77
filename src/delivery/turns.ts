import type { Channel } from './channel.ts'

/** Whose turn it is: teams take turns, and so do the channels of each. */
export type Turns = {
  /** The channel has its turn after the others of its team; once, however often it enters. */
  enter(channel: Channel): void
  next(): Channel | undefined
  areThere(): boolean
}

export function openTurns(): Turns {
  const teams: { teamId: string; channels: Channel[] }[] = []
  const byId = new Map<string, (typeof teams)[number]>()

  function teamOf(teamId: string) {
    const known = byId.get(teamId)
    if (known) return known
    const team = { teamId, channels: [] }
    byId.set(teamId, team)
    teams.push(team)
    return team
  }
  return {
    enter(channel) {
      if (channel.isInRound) return
      channel.isInRound = true
      teamOf(channel.teamId).channels.push(channel)
    },
    next() {
      const team = teams.shift()
      const channel = team?.channels.shift()
      if (!team || !channel) return undefined
      if (team.channels.length > 0) teams.push(team)
      else byId.delete(team.teamId)
      channel.isInRound = false
      return channel
    },
    areThere: () => teams.length > 0,
  }
}
