import { type FormEvent, useEffect, useRef } from 'react'
import { useNavigation } from 'react-router'

/**
 * Sends a form once, however often its button is pressed, since a second request would be refused as a conflict.
 * @returns `isBusy` for the button, `once` for the form's `onSubmit`
 */
export function useSubmitOnce(): { isBusy: boolean; once(event: FormEvent<HTMLFormElement>): void } {
  const { state } = useNavigation()
  // Two presses may come before the navigation state changes, so a ref remembers the first.
  const isSent = useRef(false)
  useEffect(() => {
    // After the answer, while the loaders revalidate, another press is a new request.
    if (state !== 'submitting') isSent.current = false
  })
  const once = (event: FormEvent<HTMLFormElement>) => {
    if (isSent.current) event.preventDefault()
    isSent.current = true
  }
  return { isBusy: state !== 'idle', once }
}
