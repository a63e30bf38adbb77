import type { IconNode } from 'lucide'
import { Check, Copy } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { Icon } from './icon.tsx'

export type ButtonVariant = 'primary' | 'plain' | 'quiet' | 'danger'

export type ButtonProps = {
  children?: ComponentChildren
  icon?: IconNode
  variant?: ButtonVariant
  isSmall?: boolean
  isBusy?: boolean
  /** The name of a button that shows only an icon. */
  label?: string | undefined
  /** Why the button is disabled. It then stays focusable and shows the reason. */
  why?: string | undefined
  isDisabled?: boolean
  isPressed?: boolean
  type?: 'button' | 'submit'
  onClick?: (event: MouseEvent) => void
  id?: string
}

/** A button that is disabled for a reason keeps the focus and shows the reason. */
export function Button({
  children,
  icon,
  variant = 'plain',
  label,
  why,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  const isOff = rest.isDisabled === true || why !== undefined || rest.isBusy === true
  return (
    <button
      type={type}
      id={rest.id}
      class={`button ${variant}${rest.isSmall ? ' small' : ''}${children ? '' : ' bare'}`}
      aria-label={label}
      aria-disabled={isOff ? 'true' : undefined}
      aria-busy={rest.isBusy ? 'true' : undefined}
      aria-pressed={rest.isPressed === undefined ? undefined : rest.isPressed}
      title={why ?? label}
      onClick={(event) => {
        if (!isOff) return onClick?.(event)
        event.preventDefault()
        event.stopPropagation()
      }}
    >
      {icon && <Icon of={icon} />}
      {children && <span>{children}</span>}
    </button>
  )
}

type LinkButtonProps = {
  href: string
  children: ComponentChildren
  icon?: IconNode
  variant?: ButtonVariant
  isSmall?: boolean
  why?: string | undefined
}

/** A link that looks like a button. */
export function LinkButton({ href, children, icon, variant = 'plain', isSmall, why }: LinkButtonProps) {
  if (why)
    return (
      <Button variant={variant} why={why} {...(icon && { icon })} {...(isSmall && { isSmall })}>
        {children}
      </Button>
    )
  return (
    <a class={`button ${variant}${isSmall ? ' small' : ''}`} href={href}>
      {icon && <Icon of={icon} />}
      <span>{children}</span>
    </a>
  )
}

type CopyButtonProps = { text: string; label?: string; isBare?: boolean }

/** Copies a text. Without the Clipboard API, as over plain http, nothing is copied, and the button does not say so. */
export function CopyButton({ text, label = frameWords.copy, isBare = true }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  const timer = useRef(0)
  const copy = async () => {
    if (!navigator.clipboard) return
    await navigator.clipboard.writeText(text)
    setCopied(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setCopied(false), 2_000)
  }
  return (
    <span class="copy">
      <Button variant="quiet" isSmall icon={isCopied ? Check : Copy} label={isBare ? label : undefined} onClick={copy}>
        {isBare ? undefined : isCopied ? frameWords.copied : label}
      </Button>
      <span class="hidden" role="status">
        {isCopied ? frameWords.copied : ''}
      </span>
    </span>
  )
}
