"""English questions that each embody an intent."""

EMOTIONAL = """
how did I feel after the interview
what was I so worried about back then
what made me so happy that weekend
was I scared before the operation
tell me about a moment that made me proud
how sad was she when the dog died
why was I so angry with my brother
what did he say that hurt me so much
I feel awful today, remind me of something good
the day I cried with relief
which memory of grandma still comforts me
did moving away make him lonely
how did the team take the bad news, were they crushed
what was the mood at the funeral
was she disappointed in me
things that stressed me out last winter
how nervous was I on my first day
when I got the diagnosis, what went through my heart
I can't stand this bug any more, tell me it gets better
what do I regret most about that year
my feelings about becoming a father
did I enjoy the concert or was I bored
happiest childhood memory
panic before the exam
how did it feel to hold my daughter for the first time
is mom still upset about what I said
what has been weighing on my mind lately
I miss him so much, what were our warm moments together
was he embarrassed when everyone laughed
what gave me courage when I wanted to quit
how is Anna coping, is she okay
the thing I was most grateful for
I'm exhausted and nobody notices, please cheer me up
what did I love about living by the sea
jealous of my sister
did the release go-live leave everyone frustrated or thrilled
was I braver than I thought during the rescue
how heartbroken were the kids when the rabbit vanished
being laid off: how badly did it hit me
what did I feel toward my ex when the letter arrived
joy of finishing the marathon
say something kind, the merge went wrong again and I feel useless
was dad relieved or upset once the tests came back
did the argument at dinner leave anyone in tears
which song always makes me weepy and why does it move me
what frightened me about the new job
how did everyone take it when the funding was cancelled
remember how giddy we were after the first sale
what do I dread about Mondays
is Leo all right after the break-up
the proudest I have ever been
guilt about selling the house
how lonely were those months abroad
I keep blaming myself, was I always this hard on myself
what cheered her up in hospital
was the teacher annoyed with us
"""

FACTUAL = """
what is my sister's phone number
who is the landlord of the flat
where do I keep the spare key
how much did the sofa cost
which restaurant did we book
what does the contract say about pets
how many people work in the Lyon office
what size shoes does my son wear
what is the capital of Mongolia
name of the hotel we stayed at
what colour is her new car
what was my salary in 2019
which language does the new neighbour speak
what is Tom allergic to
where was she born
what did the doctor prescribe
address of the dentist
what is a mortgage
who wrote the book I borrowed
which seat do I have on the flight
who is in charge of purchasing
title of the film that made me cry
is the cafe open to dogs
account number for the gas bill
what was my room number when we stayed in Rome
how tall is the bookcase
what brand of tea does she like
what did I order the last time we ate there
what does the abbreviation SLA stand for
what school did he go to
how much leave do new employees get
what kind of dog do they have
passport number
who was our guide when we were so scared on the mountain
maximum attachment size for e-mail
what is the wifi called
what is the model number of the heater
who repaired the roof
how many litres does the tank hold
what did we pay for the flights
what was written on the sign
which of the drawers holds the screws
email of the accountant
ingredients of the salad dressing
who signed the lease in 2021
what is the maximum load of the trailer
what did I promise to bring
what is the penalty for a late return
name of the song they played at the wedding
who won the quiz night
what are the ground rules of the book club
what instrument does Lena play
which version of events did he tell, what exactly did he say
which pharmacy stocks the drops
what does the teacher's husband do for a living
"""

TECHNICAL = """
how do I reset the router
how is the backup script set up
why does the build fail with exit code 1
which command restarts the server
how do you mount the new tyres
what does this stack trace mean and how to fix it
steps to deploy to production
how does the cache get invalidated
which Python version do we run
configure the firewall for port 443
how to descale the coffee machine
docker container exits at once
how do I knit a heel
why does the pump lose pressure
how does the heat exchanger work
settings for the printer driver
database migration fails with lock timeout
how do we roll back a release
what flags did we use to compile it
why is the query slow and how do we speed it up
how to sharpen a chisel
how do I feed a sourdough starter
ImportError cannot import name
the dishwasher will not drain, what now
how is the login service built
which library version is pinned in the lock file
write a regular expression that matches dates
how does garbage collection work here
I'm furious that the tests keep failing, how do I fix them
instructions for bleeding the brakes
how can I export everything to CSV
how to set up two-factor login
git rebase conflict
what happens inside when a request times out
the oven burns everything at the back, how do I correct it
why does the fridge ice over
write me a query that counts relations per user
where does the service keep its session state and how is it refreshed
how do you prune roses so that they flower again
what makes the alarm go off at random and how to silence it
memory leak in the worker process
how is the happiness index calculated by the code
make the timer start automatically at dawn
replacing the belt of the washing machine
what does the flag --force do
why is the dough so sticky and how do I rescue it
how does the thermostat decide to switch off
which compiler and options does the project use
the sync hangs forever and I want to scream, which setting helps
connection refused on port 5432
how do we encrypt the disks
clean install of the operating system
how to tie a bowline
how are date fields parsed by the importer
what procedure do I follow to restore a snapshot
solder joint keeps cracking, what temperature should the iron have
"""

TEMPORAL = """
when did we move house
what date is the wedding
how long did the course last
what time does the shop close
when is the report due
which came first, the move or the new job
how many days until the holiday starts
since when have they been married
what happened in March
when did I last see the dentist
in what year did she graduate
what is on the calendar for tomorrow
latest version of the contract
how old was I when I learned to swim
which meeting comes after lunch
how long was I depressed
how often do we meet each month
deadline for the application
what have I been doing recently
the first time we met
when did the error first appear
what was decided yesterday
how long ago did he stop smoking
when did they fall in love
events of summer 2018
opening hours on Sunday
timeline of the project
what was the last thing he said before he left
when was the newest release shipped
did we sell the car before or after the trip
how long does the train take
what did I do on the evening of the fifth
schedule for next week
how many years has she worked there
what was the first film we watched together
when does the lease run out
on which day did the boiler break down
how long have the two of them known each other
did I get the flu shot before or after the flight
what have we got planned for Friday
what went on at work this week
which did I read first, the novel or the memoir
for how many months was she unhappy
by when do the forms have to be in
what year did the two firms merge
most recent conversation with the lawyer
when did I begin to feel better
what time was the server restarted
how long does the repair take
in what order were the modules rolled out
my activities in the first half of May
how much time is left until the visa ends
date of the last oil change
who arrived first, Omar or Lucy
was the fix released before the outage
"""

RELATIONAL = """
how are Anna and Peter related
who gets along best with whom in the team
what is the connection between the strike and the delay
how does the new one compare with the old one
who reports to the head of sales
which services depend on the database
did the drought lead to higher prices
what is the difference between plan A and plan B
how do my brother and my boss know each other
is he her uncle or her cousin
what role did stress play in my illness
who introduced me to Maria
is sleep linked to my headaches
relationship between the two companies
does the outage have to do with the new switch
tea or coffee, which suits me better
what else breaks if we turn this module off
who influenced her painting most
how close are the twins to their father
what tie does he have to the village
which suppliers are owned by the same group
was the argument the reason they split up
how do the two laws interact
compare the Berlin and the Madrid office
who sides with whom in the dispute
my relationship with my mother
what do the two projects have in common
which teams are affected if the warehouse closes
who are her friends
who mentors the trainees and who trusts whom
did his leaving cause her burnout
family tree of the Millers
does A cause B or the other way round
what follows from the merger for our department
how has the friendship between them changed
dependency between billing and login
who is married to whom in that family
how did the flood affect the harvest
what links the complaints to the new packaging
which tables reference the orders table
is my back pain due to the chair
who does the new manager answer to
how is cycling different from running for me
which of my friends know each other
why did the two families fall out, who caused it
what was the effect of the tariff on our suppliers
does the moon phase have anything to do with my sleep
how do marketing and sales work together
who took over from whom as chair
is there a pattern between my diet and my moods
who owns the company that owns the paper
if the harbour shuts, who suffers
the ties between the mayor and the builder
are Rosa and Emil siblings or a couple
compared to last year's tent how good is this one
which parts of the system would the upgrade pull along
"""
