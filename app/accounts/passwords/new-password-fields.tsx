import { useEffect } from 'react'
import { TextField } from '#app/ui/forms/field.tsx'
import { NEW_PASSWORD_HINT } from './refusal-messages.ts'
import { useShownPassword } from './use-shown-password.tsx'

/** A refused password form: the field to mend, and how. */
export interface PasswordFault {
  field: 'actual' | 'nueva' | 'repetida'
  message: string
}

/** Returns a field's `error`: the message of the refusal, if the refusal is about this field. */
export const faultOf = (field: PasswordFault['field'], fault: PasswordFault | undefined) =>
  fault?.field === field ? fault.message : undefined

/** Two fields for a new password, and a box that shows what is typed. The field of the last refusal takes the focus. */
export function NewPasswordFields({ fault }: { fault: PasswordFault | undefined }) {
  const { type, box } = useShownPassword('ver-contrasena')
  // Each refusal is a new object, so an equal refusal moves the focus again.
  useEffect(() => {
    if (fault) document.getElementById(fault.field)?.focus()
  }, [fault])
  const sharedProps = {
    type,
    autoComplete: 'new-password',
    autoCapitalize: 'none',
    spellCheck: false,
    required: true,
    isAnswerToSubmit: true,
  }
  return (
    <>
      <TextField
        {...sharedProps}
        id="nueva"
        name="nueva"
        label="Contraseña nueva"
        hint={NEW_PASSWORD_HINT}
        error={faultOf('nueva', fault)}
      />
      <TextField
        {...sharedProps}
        id="repetida"
        name="repetida"
        label="Escríbela otra vez"
        error={faultOf('repetida', fault)}
      />
      {box}
    </>
  )
}
