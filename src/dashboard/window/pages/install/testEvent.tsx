import { Send } from 'lucide'
import { useState } from 'preact/hooks'
import type { TestJourney } from '#contract/testEvent.ts'
import { sampleEvent } from '#dashboard/form/sampleEvent.ts'
import { installWords as words } from '#dashboard/words/en/install.ts'
import { useAction } from '../../data/action.ts'
import { useMay } from '../../data/here.tsx'
import { useChannelName } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemLine } from '../../parts/view.tsx'
import { TestResult } from '../channels/testResult.tsx'

/** Sends a test event to every channel of the tag, for who has no site at hand. */
export function TestEvent({ tagId }: { tagId: string }) {
  const { why } = useMay('script:write', 'event:write')
  const nameOf = useChannelName(tagId)
  const action = useAction()
  const [result, setResult] = useState<TestJourney>()
  const send = async () => {
    const body = { event: sampleEvent('PageView'), send: true }
    const journey = await action.run((api) => api.testTag({ tagId, body }))
    if (journey) setResult(journey)
  }
  return (
    <Panel
      title={words.noSite}
      note={words.testNote}
      actions={
        <Button icon={Send} why={why} isBusy={action.isBusy} onClick={send}>
          {words.sendTest}
        </Button>
      }
    >
      <ProblemLine error={action.error} />
      {result && <TestResult journey={result} nameOf={nameOf} />}
    </Panel>
  )
}
