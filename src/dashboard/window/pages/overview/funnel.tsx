import type { IntakeReport } from '#contract/intake.ts'
import type { Funnel as FunnelData } from '#contract/stats.ts'
import { type FunnelGroup, type FunnelPart, funnelRows } from '#dashboard/chart/funnel.ts'
import { overviewWords as words } from '#dashboard/words/en/overview.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { count } from '#dashboard/words/format.ts'
import { useAddress } from '../../data/here.tsx'

const tones: Record<FunnelGroup, string> = { delivered: 'good', notSent: 'none', waiting: 'wait', failed: 'bad' }

/** A bar whose length is a share of the whole. */
function Bar({ share, tone }: { share: number; tone: string }) {
  return (
    <span class="bar">
      <span class={`barFill ${tone}`} style={{ inlineSize: `${Math.max(share * 100, share > 0 ? 0.5 : 0)}%` }} />
    </span>
  )
}

const partName = ({ status, reason }: FunnelPart) => (reason ? statusWords.reason(reason) : statusWords.status(status))

type FunnelProps = { tagId: string; funnel: FunnelData; intake: IntakeReport | undefined }

/** Accepted events and their deliveries by status. Every number links to its list. */
export function Funnel({ tagId, funnel, intake }: FunnelProps) {
  const address = useAddress()
  const times = { from: new Date(funnel.from).toISOString(), to: new Date(funnel.to).toISOString() }
  const link = (statuses: readonly string[], reason?: string) =>
    address('deliveries', { tagId }, { status: [...new Set(statuses)].join(','), reason, ...times })
  const refused = Object.values(intake?.refused ?? {}).reduce((sum, each) => sum + each, 0)
  const whole = Math.max(funnel.planned, 1)
  return (
    <ul class="funnel">
      <li>
        <a href={address('events', { tagId }, times)}>{words.accepted}</a>
        <b class="number">{count(funnel.events)}</b>
        <Bar share={funnel.events > 0 ? 1 : 0} tone="accent" />
        <span class="line hint number funnelParts">
          {Boolean(intake?.duplicate) && <span>{words.duplicate(intake!.duplicate)}</span>}
          {Boolean(intake?.rejected) && <span>{words.rejected(intake!.rejected)}</span>}
          {refused > 0 && <a href={address('live', { tagId })}>{words.refused(refused)}</a>}
        </span>
      </li>
      <li>
        <a href={address('deliveries', { tagId }, times)}>{words.planned}</a>
        <b class="number">{count(funnel.planned)}</b>
        <Bar share={funnel.planned > 0 ? 1 : 0} tone="accent" />
        <span class="line hint number funnelParts">
          <span>{words.plannedText(funnel.byScript.length)}</span>
        </span>
      </li>
      {funnelRows(funnel.parts).map(({ group, count: sum, parts }) => (
        <li key={group} class="funnelGroup">
          {sum > 0 ? (
            <a href={link(parts.map(({ status }) => status))}>{words.groups[group]}</a>
          ) : (
            <span>{words.groups[group]}</span>
          )}
          <b class="number">{count(sum)}</b>
          <Bar share={sum / whole} tone={tones[group]} />
          <span class="line hint number funnelParts">
            {group !== 'delivered' &&
              parts.slice(0, 4).map((part) => (
                <a key={`${part.status} ${part.reason}`} href={link([part.status], part.reason)}>
                  {partName(part)} {count(part.count)}
                </a>
              ))}
          </span>
        </li>
      ))}
    </ul>
  )
}
