// The same home as a client-rendered application: the baseline that the prerendered one is held against.
import { createRoot } from 'react-dom/client'
import { createBrowserRouter, RouterProvider, useLoaderData } from 'react-router'
import { Pie } from '#app/layout/footer.tsx'
import { Cabecera } from '#app/layout/header.tsx'
import Inicio from '#app/site/home/home.page.tsx'
import '#app/ui/styles/base.css'

type Data = Parameters<typeof Inicio>[0]['loaderData'] & { edicion: Parameters<typeof Pie>[0]['edicion'] }

function Pantalla() {
  const data = useLoaderData<Data>()
  const page = { loaderData: data } as Partial<Parameters<typeof Inicio>[0]> as Parameters<typeof Inicio>[0]
  return (
    <>
      <Cabecera />
      <main id="contenido">
        <Inicio {...page} />
      </main>
      <Pie edicion={data.edicion} corto={false} />
    </>
  )
}

const router = createBrowserRouter([{ path: '*', loader: () => fetch('/datos.json'), Component: Pantalla }])
createRoot(document.getElementById('root')!).render(<RouterProvider router={router} />)
