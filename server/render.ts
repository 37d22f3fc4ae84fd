import * as build from 'virtual:react-router/server-build'
import { createRequestHandler, RouterContextProvider } from 'react-router'
import { type RequestFacts, requestContext, type Services, servicesContext } from '#app/platform/services.server.ts'

const handle = createRequestHandler(build, import.meta.env.MODE)

/** Renders a dynamic screen, or answers its data or form. */
export function renderDynamic(request: Request, services: Services, facts: RequestFacts): Promise<Response> {
  const context = new RouterContextProvider()
  context.set(servicesContext, services)
  context.set(requestContext, facts)
  return handle(request, context)
}

/** Renders a public screen ahead of any request: its loader may read content, never a session or the database. */
export const renderPage = (request: Request): Promise<Response> => handle(request, new RouterContextProvider())
