import './app.ts';

document.body.append(document.createElement('database-app'));
