import { useEffect, useRef, useState } from 'preact/hooks'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { playgroundWords as words } from '#dashboard/words/en/playground.ts'
import type { CodeEditorHandle, CodeMark } from './codeEditor.ts'

type EditorProps = {
  /** The initial text. Typed text is reported and never set again: a render may be older than the last key. */
  text: string
  /** The line that failed in the last run. */
  mark: CodeMark | undefined
  onChange: (text: string) => void
  onRun: () => void
}

/** The code editor, loaded when first shown. Until then a plain text field is used. */
export function Editor({ text, mark, onChange, onRun }: EditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<CodeEditorHandle>(undefined)
  const latest = useRef({ text, onChange, onRun })
  latest.current = { text, onChange, onRun }
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    let isGone = false
    import('./codeEditor.ts').then(
      ({ openCodeEditor }) => {
        if (isGone || !host.current) return
        editor.current = openCodeEditor(host.current, {
          text: latest.current.text,
          label: frameWords.code,
          describedBy: words.codeHint,
          onChange: (next) => latest.current.onChange(next),
          onRun: () => latest.current.onRun(),
        })
        setOpen(true)
      },
      // Without the editor, the plain field stays.
      (error) => console.error(error),
    )
    return () => {
      isGone = true
      editor.current?.close()
    }
  }, [])
  useEffect(() => editor.current?.mark(mark), [mark, isOpen])
  return (
    <>
      <div ref={host} class={isOpen ? 'codeEditor' : 'hidden'} />
      {!isOpen && (
        <textarea
          class="mono"
          rows={16}
          aria-label={frameWords.code}
          spellcheck={false}
          value={text}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
      <p class="hint">{words.codeHint}</p>
    </>
  )
}
