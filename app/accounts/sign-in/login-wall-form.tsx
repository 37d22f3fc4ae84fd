import { createContext, type FormEvent, type ReactNode, type RefObject, useContext } from 'react'
import { Form, useNavigation, useSubmit } from 'react-router'

/** Sends a login above an open screen by `fetch`, since the screen has to stay as it is. */
interface OverlaySubmission {
  isBusy: boolean
  send(fields: FormData): Promise<void>
}

export const LoginWallSubmitContext = createContext<OverlaySubmission | undefined>(undefined)

/** Submits the login wall: by the router, or above an open screen by the context's `send`. */
export function useLoginWallSubmit(): {
  isBusy: boolean
  send(fields: FormData | Record<string, string>): Promise<void>
} {
  const overlay = useContext(LoginWallSubmitContext)
  const submit = useSubmit()
  const isBusy = useNavigation().state !== 'idle'
  if (!overlay) return { isBusy, send: (fields) => submit(fields, { method: 'post' }) }
  return {
    isBusy: overlay.isBusy,
    send: (fields) => overlay.send(fields instanceof FormData ? fields : formOf(fields)),
  }
}

function formOf(fields: Record<string, string>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

interface Props {
  ref?: RefObject<HTMLFormElement | null>
  className: string | undefined
  /** Id of the heading that names the form for screen readers. */
  headingId?: string
  children: ReactNode
}

/** Shows a form of the login wall, which cannot be submitted twice at once; only the server checks its fields. */
export function LoginWallForm({ ref, className, headingId, children }: Props) {
  const overlay = useContext(LoginWallSubmitContext)
  const { isBusy } = useLoginWallSubmit()
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    if (isBusy || overlay) event.preventDefault()
    if (isBusy || !overlay) return
    void overlay.send(new FormData(event.currentTarget, (event.nativeEvent as SubmitEvent).submitter))
  }
  return (
    <Form ref={ref} method="post" className={className} noValidate aria-labelledby={headingId} onSubmit={onSubmit}>
      {children}
    </Form>
  )
}
