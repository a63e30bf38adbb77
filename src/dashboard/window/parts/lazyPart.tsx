import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** A component that is loaded when first shown. Until then, `waiting` is rendered. */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: () => ComponentChildren,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  return (props) => {
    const [Part, setPart] = useState(() => loaded)
    useEffect(() => {
      // Another place may have loaded it since this one was rendered.
      if (!Part)
        void load().then((next) => {
          loaded = next
          setPart(() => next)
        })
    }, [])
    return Part ? <Part {...props} /> : waiting()
  }
}
