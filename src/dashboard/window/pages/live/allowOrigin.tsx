import { useState } from 'preact/hooks'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { liveWords as words } from '#dashboard/words/en/live.ts'
import { callsOf, keyOf, useHere, useMay } from '../../data/here.tsx'
import { queries } from '../../data/query.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ProblemLine } from '../../parts/view.tsx'

/** Adds the origin of a refused call to those of the tag, after a question that shows it. */
export function AllowOrigin({ tagId, origin }: { tagId: string; origin: string }) {
  const here = useHere()
  const { why } = useMay('tag:write')
  const [state, setState] = useState<'idle' | 'asking' | 'busy' | 'done'>('idle')
  const [error, setError] = useState<unknown>()
  const allow = async () => {
    setState('busy')
    setError(undefined)
    const api = callsOf(here)
    try {
      const { allowedOrigins } = await api.readTag({ tagId })
      if (!allowedOrigins.includes(origin))
        await api.updateTag({ tagId, body: { allowedOrigins: [...allowedOrigins, origin] } })
      setState('done')
      await queries.invalidateQueries({ queryKey: keyOf(here, ['tag', tagId]) })
    } catch (problem) {
      setError(problem)
      setState('asking')
    }
  }
  if (state === 'done') return <span class="soft">{words.allowed}</span>
  return (
    <>
      <Button isSmall why={why} onClick={() => setState('asking')}>
        {words.allow}
      </Button>
      {(state === 'asking' || state === 'busy') && (
        <Dialog title={words.allowTitle(origin)} onClose={() => setState('idle')} look="narrow">
          <p>{words.allowText}</p>
          <ProblemLine error={error} />
          <div class="dialogActions">
            <Button onClick={() => setState('idle')}>{frameWords.cancel}</Button>
            <Button look="primary" isBusy={state === 'busy'} onClick={allow}>
              {words.allow}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  )
}
