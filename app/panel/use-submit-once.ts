import { type FormEvent, useEffect, useRef } from 'react'
import { useNavigation } from 'react-router'

/**
 * Prevents a form from being sent twice, since the second request would act again or be refused as a conflict.
 * @returns `isBusy` for the button, `preventResubmit` for the form's `onSubmit`
 */
export function useSubmitOnce(): { isBusy: boolean; preventResubmit(event: FormEvent<HTMLFormElement>): void } {
  const { state } = useNavigation()
  // A second press may come before the navigation state has changed, so a ref remembers the first.
  const isSent = useRef(false)
  useEffect(() => {
    // Once the site has answered, another press is a new request, even while the loaders revalidate.
    if (state !== 'submitting') isSent.current = false
  })
  const preventResubmit = (event: FormEvent<HTMLFormElement>) => {
    if (isSent.current) event.preventDefault()
    isSent.current = true
  }
  return { isBusy: state !== 'idle', preventResubmit }
}
