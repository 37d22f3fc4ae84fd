import { createContext, type FormEvent, type ReactNode, type RefObject, useContext } from 'react'
import { Form, useNavigation, useSubmit } from 'react-router'

/** How a door is sent that stands above a screen, which has to stay as it is. */
interface Sending {
  busy: boolean
  send(fields: FormData): Promise<void>
}

export const LoginWallSubmitContext = createContext<Sending | undefined>(undefined)

/** Sends a door's fields: by the router, to the screen behind it, unless the door stands above one. */
export function useLoginWallSubmit(): {
  busy: boolean
  send(fields: FormData | Record<string, string>): Promise<void>
} {
  const overlay = useContext(LoginWallSubmitContext)
  const submit = useSubmit()
  const busy = useNavigation().state !== 'idle'
  if (!overlay) return { busy, send: (fields) => submit(fields, { method: 'post' }) }
  return { busy: overlay.busy, send: (fields) => overlay.send(fields instanceof FormData ? fields : formOf(fields)) }
}

function formOf(fields: Record<string, string>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

interface Props {
  ref?: RefObject<HTMLFormElement | null>
  className: string | undefined
  /** Id of the heading that names it. */
  titulo?: string
  children: ReactNode
}

/** A form of a door, which is sent once at a time; the server alone judges what is typed. */
export function LoginWallForm({ ref, className, titulo, children }: Props) {
  const overlay = useContext(LoginWallSubmitContext)
  const { busy } = useLoginWallSubmit()
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    if (busy || overlay) event.preventDefault()
    if (busy || !overlay) return
    void overlay.send(new FormData(event.currentTarget, (event.nativeEvent as SubmitEvent).submitter))
  }
  return (
    <Form ref={ref} method="post" className={className} noValidate aria-labelledby={titulo} onSubmit={onSubmit}>
      {children}
    </Form>
  )
}
