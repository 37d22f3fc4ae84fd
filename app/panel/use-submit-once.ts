import { type FormEvent, useEffect, useRef } from 'react'
import { useNavigation } from 'react-router'

/**
 * A form that is sent once, however often its button is pressed: the second time would be refused as somebody else's
 * change.
 * @returns busy, for the button; once, for the form's `onSubmit`
 */
export function useSubmitOnce(): { busy: boolean; once(event: FormEvent<HTMLFormElement>): void } {
  const { state } = useNavigation()
  // Two presses may come before the first one is known to be under way.
  const isSent = useRef(false)
  useEffect(() => {
    // Once it is answered, while the screen is still read anew, another press is meant.
    if (state !== 'submitting') isSent.current = false
  })
  const once = (event: FormEvent<HTMLFormElement>) => {
    if (isSent.current) event.preventDefault()
    isSent.current = true
  }
  return { busy: state !== 'idle', once }
}
