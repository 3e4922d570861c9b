// The page's policy allows no inline script, so that this line has a file of its own.
window.SwaggerUIBundle({ url: 'openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null })
