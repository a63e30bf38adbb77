import { Play } from 'lucide'
import { useState } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import type { TagPlugin } from '#contract/tag.ts'
import type { TestJourney, TestWrite } from '#contract/testEvent.ts'
import { type SampleName, sampleEvent, sampleNames } from '#dashboard/form/sampleEvent.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { pluginWords as words } from '#dashboard/words/en/plugins.ts'
import { useAction } from '../../data/action.ts'
import { useMay } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemLine } from '../../parts/view.tsx'
import { PluginSteps } from '../events/timeline.tsx'
import { EventOptions } from '../playground/inputs.tsx'

type TriedEvent = TestWrite['event']
type Tried = { event: TriedEvent; userId: string | null }

/** The chosen event: a sample, or one of the last events as received. */
async function readEvent(api: Client, tagId: string, choice: string): Promise<Tried> {
  const sample = sampleNames.find((name) => choice === `sample ${name}`)
  if (sample) return { event: sampleEvent(sample satisfies SampleName), userId: null }
  const { received, eventName, userId } = await api.readEvent({ tagId, eventId: choice.replace(/^real /, '') })
  // A test has the current time and its own id, so that an older event can also be tested.
  const { eventId: _, timestamp: __, ...event } = (received ?? {}) as TriedEvent
  return { event: { ...event, eventName }, userId }
}

/** The result of the chain: each plugin with the fields that it changed, and the final event. */
function Outcome({ of: { received, afterPlugins = [] } }: { of: TestJourney }) {
  const last = afterPlugins.findLast((step) => step.event !== undefined)?.event ?? received
  const isFiltered = afterPlugins.some(({ filtered }) => filtered)
  return (
    <div role="status" class="stack">
      <PluginSteps received={received} steps={afterPlugins} />
      {!isFiltered && <Code text={JSON.stringify(last, undefined, 2)} label={words.tryResult} />}
    </div>
  )
}

/** Runs the chain of the form, saved or not, for one event. Nothing is sent. */
export function PluginTry({ tagId, chain }: { tagId: string; chain: readonly TagPlugin[] }) {
  const { why } = useMay('script:write', 'event:write')
  const action = useAction()
  const [choice, setChoice] = useState('sample Purchase')
  const [tried, setTried] = useState<TestJourney>()
  const run = async (submit: SubmitEvent) => {
    submit.preventDefault()
    if (why) return
    const done = await action.run(async (api) => {
      const { event, userId } = await readEvent(api, tagId, choice)
      return api.testTag({ tagId, body: { event, userId, plugins: [...chain], send: false } })
    })
    if (done) setTried(done)
  }
  return (
    <Panel title={words.try} note={words.tryNote}>
      <form class="inputRow inlineForm narrowForm" onSubmit={run}>
        <select
          aria-label={frameWords.title.event}
          value={choice}
          onChange={(event) => setChoice(event.currentTarget.value)}
        >
          <EventOptions tagId={tagId} />
        </select>
        <Button type="submit" icon={Play} why={why} isBusy={action.isBusy}>
          {words.tryRun}
        </Button>
      </form>
      <ProblemLine error={action.error} />
      {tried && <Outcome of={tried} />}
    </Panel>
  )
}
