import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import type { FieldError } from '#app/entries/rules.ts'

/** Lists fields that differ from the served form: the entrant typed before any script ran, or the browser filled them in. */
export const listChangedFields = ({ fields }: FormDescriptor, { elements }: HTMLFormElement): string[] =>
  fields
    .map(({ name }) => name)
    .filter((name) => {
      const control = elements.namedItem(name)
      if (control instanceof HTMLInputElement && control.type === 'checkbox')
        return control.checked !== control.defaultChecked
      if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement)
        return control.value !== control.defaultValue
      return (
        control instanceof HTMLSelectElement &&
        [...control.options].some(({ selected, defaultSelected }) => selected !== defaultSelected)
      )
    })

/** Replaces the error for a missing number by the one for an unreadable text, since the input's value is empty in both cases. */
export const explainUnreadable =
  ({ fields }: FormDescriptor, form: HTMLFormElement) =>
  (error: FieldError): FieldError => {
    const control = form.elements.namedItem(error.campo)
    const isUnreadable = control instanceof HTMLInputElement && control.validity.badInput
    const field = fields.find(({ name }) => name === error.campo)
    return isUnreadable && field ? { ...error, message: field.unreadableMessage('') } : error
  }
