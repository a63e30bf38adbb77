import { X } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { Button } from './button.tsx'

type DialogProps = {
  title: string
  children: ComponentChildren
  /** Without it, neither Escape nor a button closes the dialog. */
  onClose?: () => void
  variant?: string
  isTitleHidden?: boolean
}

/** The browser's modal dialog: it keeps the focus inside, and returns it on close. */
export function Dialog({ title, children, onClose, variant = '', isTitleHidden }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null
    dialog.current?.showModal()
    return () => before?.focus?.()
  }, [])
  return (
    <dialog
      ref={dialog}
      class={`dialog ${variant}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      onClick={(event) => event.target === dialog.current && onClose?.()}
    >
      <div class="stack dialogBody">
        <header class={isTitleHidden ? 'hidden' : 'row dialogHead'}>
          <h2 id={id}>{title}</h2>
          {onClose && !isTitleHidden && <Button variant="quiet" icon={X} label={frameWords.close} onClick={onClose} />}
        </header>
        {children}
      </div>
    </dialog>
  )
}
