import { Form } from 'react-router'
import { formatDateTime } from '#app/core/time/mexico-dates.ts'
import type { EntryRequest } from '#app/entries/help-requests.server.ts'
import formStyles from '#app/panel/forms.module.css'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'

export function EntryRequests({ requests }: { requests: EntryRequest[] }) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  if (requests.length === 0) return null
  return (
    <table className={formStyles.table}>
      <caption>Lo que piden por el sitio</caption>
      <thead>
        <tr>
          <th scope="col">Quién</th>
          <th scope="col">Qué pide</th>
          <th scope="col">Cuándo</th>
          <th scope="col">Ya quedó</th>
        </tr>
      </thead>
      <tbody>
        {requests.map(({ id, kind, entryId, entrant, at }) => (
          <tr key={id}>
            <td>
              <Link to={`/organizadores/inscripciones/${entryId}`}>{entrant}</Link>
            </td>
            <td>
              {kind === 'folio' ? (
                'Su folio: llámale o escríbele al celular de su inscripción, y a ningún otro.'
              ) : (
                <>
                  Que se borre su registro: confírmalo con una llamada al celular de su inscripción, y{' '}
                  <Link to={`/organizadores/privacidad?id=${entryId}`}>bórrala aquí abajo</Link>.
                </>
              )}
            </td>
            <td data-label="Cuándo">{formatDateTime(at)}</td>
            <td>
              <Form method="post" onSubmit={preventResubmit}>
                <Button type="submit" look="quiet" name="peticion" value={id} isBusy={isBusy}>
                  Ya está atendida
                </Button>
              </Form>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
